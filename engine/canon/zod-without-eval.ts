import { z } from "zod";

// Compiling schemas asks whether code may be made from text; a page's policy forbids that and reports the question.
z.config({ jitless: true });
