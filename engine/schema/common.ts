import { z } from "zod";

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 digest is 64 lower-case hex digits");

/** `<dimension>.<slug>`, also the file name of the check. */
export const CheckId = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*\.[a-z0-9][a-z0-9_-]*$/, "a check id is <dimension>.<slug>, lower case");

/** Names of cases, studies, boundaries. */
export const Slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, "use lower-case letters, digits and hyphens")
  .max(80);

/** A relative POSIX path inside a bundle or source run; the file system check is `canon/paths.ts`. */
export const RelativePath = z
  .string()
  .min(1)
  .refine(
    (path) => !path.startsWith("/") && !path.includes("\\") && !path.includes("\0") && !/^[A-Za-z]:/.test(path),
    "a path is relative, with forward slashes",
  )
  .refine(
    (path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
    "a path has no empty, '.' or '..' part",
  );

export const FileRef = z.strictObject({ path: RelativePath, sha256: Sha256 });
export type FileRef = z.infer<typeof FileRef>;

export const NonNegative = z.number().finite().min(0);
export const Count = z.number().int().min(0);
