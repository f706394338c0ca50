import { parameter, print } from "../../loaders/emit.ts";
import { docPage } from "../../loaders/docs/pages.ts";

await print(() => docPage(parameter("page")));
