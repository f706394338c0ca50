import { z } from "zod";
import { RelativePath } from "./common.ts";

export const WORKBENCH_SCHEMA = "assay-workbench/1";

/** `workbench.yaml` of a directory that people work in; everything in it may be left out. */
export const Workbench = z.strictObject({
  schema: z.literal(WORKBENCH_SCHEMA),
  /** What the site is called. */
  title: z.string().min(1).max(60).default("Assay"),
  /** Directories below this one whose scans the site shows, beside data/bundles. */
  data: z.array(RelativePath).default([]),
});
export type Workbench = z.infer<typeof Workbench>;
