import { Decompress } from "fzstd";

/** RFC 8878 asks decoders for windows of 8 MiB; more is only written by `--long` and the ultra levels. */
const MAX_WINDOW = 8 << 20;
const MAX_BLOCK = 1 << 17;

/** A frame takes a window of its own; Inspect starts a new one every 200 MiB. */
const BYTES_A_FRAME = 1 << 20;

/**
 * Unpack Zstandard frames to at most `most` bytes. Each frame is walked before it is unpacked, so that no header can
 * ask for more memory than that. Throws an Error that says what is wrong.
 */
export function unzstd(packed: Uint8Array, most: number): Buffer {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const take = (piece: Uint8Array): void => {
    size += piece.length;
    if (size > most) throw new RangeError(`unpacks to more than the declared ${most} bytes`);
    pieces.push(piece);
  };
  let rest = packed;
  for (let frames = 0; frames === 0 || rest.length > 0; frames++) {
    if (frames > 1 + most / BYTES_A_FRAME) throw new RangeError("Zstandard data has too many frames");
    const length = frameLength(rest);
    new Decompress(take).push(rest.subarray(0, length), true);
    rest = rest.subarray(length);
  }
  return Buffer.concat(pieces);
}

/** Bytes of the first frame, by its own headers. */
function frameLength(packed: Uint8Array): number {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const fail = (problem: string): never => {
    throw new Error(`Zstandard data ${problem}`);
  };
  if (view.byteLength < 9 || view.getUint32(0, true) !== 0xfd2fb528) fail("does not start with a frame");
  const descriptor = view.getUint8(4);
  const single = (descriptor & 0x20) !== 0;
  if ((descriptor & 0x0b) !== 0) fail("uses a dictionary or a reserved bit");
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  let at = 5;
  let window = 0;
  if (!single) {
    const byte = view.getUint8(at++);
    const base = 2 ** (10 + (byte >> 3));
    window = base + (base / 8) * (byte & 7);
  }
  if (at + sizeBytes > view.byteLength) fail("ends in its header");
  if (single) {
    if (sizeBytes === 1) window = view.getUint8(at);
    else if (sizeBytes === 2) window = view.getUint16(at, true) + 256;
    else if (sizeBytes === 4) window = view.getUint32(at, true);
    else window = Number(view.getBigUint64(at, true));
  }
  if (window > MAX_WINDOW) fail(`has a window of ${window} bytes; at most ${MAX_WINDOW} are unpacked`);
  at += sizeBytes;
  for (let last = false; !last;) {
    if (at + 3 > view.byteLength) fail("ends too early");
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    last = (header & 1) !== 0;
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === 3 || size > MAX_BLOCK) fail("has a broken block");
    at += 3 + (type === 1 ? 1 : size);
  }
  at += (descriptor & 4) !== 0 ? 4 : 0;
  if (at > view.byteLength) fail("ends too early");
  return at;
}
