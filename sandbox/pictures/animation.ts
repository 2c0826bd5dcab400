/** Screenshots → an animated WebP. The browser that took them encodes what changes from one to the next. */
import type { Page } from 'playwright-core';

/** What the browser has, and Node's types don't. */
interface Drawing {
  readonly width: number;
  readonly height: number;
}
declare function createImageBitmap(picture: Blob): Promise<Drawing>;
declare class OffscreenCanvas implements Drawing {
  constructor(width: number, height: number);
  readonly width: number;
  readonly height: number;
  getContext(
    kind: '2d',
    options: { alpha: boolean; willReadFrequently?: boolean },
  ): {
    drawImage(picture: Drawing, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  } | null;
  convertToBlob(options: { type: string; quality: number }): Promise<Blob>;
}

export interface Frame {
  readonly png: Buffer;
  /** How long it is shown, in ms. */
  readonly duration: number;
}

/** The part of a picture that differs from the picture before. */
interface Change {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** As Chromium encodes it: a WebP file of its own. */
  readonly webp: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export async function encodeAnimation(page: Page, frames: readonly Frame[]): Promise<Buffer> {
  const chunks: { change: Change; duration: number }[] = [];
  let size: Size = { width: 0, height: 0 };
  let before: string | undefined;
  for (const { png, duration } of frames) {
    const now = png.toString('base64');
    const { change, ...dimensions } = await page.evaluate(encodeChange, { before, now });
    before = now;
    size = dimensions;
    const last = chunks.at(-1);
    if (change !== undefined) chunks.push({ change, duration });
    else if (last !== undefined) last.duration += duration;
  }
  // Animated, and repeated for ever.
  const header = Buffer.concat([Buffer.from([2, 0, 0, 0]), uint24(size.width - 1), uint24(size.height - 1)]);
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', header),
    chunk('ANIM', Buffer.alloc(6)),
    ...chunks.map(({ change, duration }) => animationFrame(change, duration)),
  ]);
  return chunk('RIFF', body);
}

/** Runs in the browser. */
async function encodeChange({
  before,
  now,
}: {
  before: string | undefined;
  now: string;
}): Promise<Size & { change?: Change }> {
  // A function with a name would ask for a helper of the compiler's that the browser doesn't have.
  const [next, old] = await Promise.all(
    [now, before].map(async (png) => {
      if (png === undefined) return undefined;
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
      context?.drawImage(bitmap, 0, 0);
      const data = context?.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer;
      return { canvas, pixels: new Uint32Array(data ?? new ArrayBuffer(0)) };
    }),
  );
  if (next === undefined) throw new Error('There is no picture.');
  const { width, height } = next.canvas;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < next.pixels.length; at += 1) {
    if (next.pixels[at] === old?.pixels[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (right < 0) return { width, height };
  // The format stores half of a place.
  const [x, y] = [left - (left % 2), top - (top % 2)];
  const part = new OffscreenCanvas(right - x + 1, bottom - y + 1);
  part.getContext('2d', { alpha: false })?.drawImage(next.canvas, -x, -y);
  const blob = await part.convertToBlob({ type: 'image/webp', quality: 0.9 });
  let text = '';
  for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
  return { width, height, change: { x, y, width: part.width, height: part.height, webp: btoa(text) } };
}

function animationFrame({ x, y, width, height, webp }: Change, duration: number): Buffer {
  const places = [x / 2, y / 2, width - 1, height - 1, duration].map(uint24);
  // Replaces what is below it.
  const flags = Buffer.from([2]);
  // Without "RIFF", its length and "WEBP".
  return chunk(
    'ANMF',
    Buffer.concat([...places, flags, pictureIn(Buffer.from(webp, 'base64').subarray(12))]),
  );
}

/** @returns the chunk with the pixels, without colour profile and the like */
function pictureIn(chunks: Buffer): Buffer {
  for (let at = 0; at < chunks.length; ) {
    const length = 8 + chunks.readUInt32LE(at + 4);
    const padded = length + (length % 2);
    if (/^VP8[L ]$/.test(chunks.toString('latin1', at, at + 4))) return chunks.subarray(at, at + padded);
    at += padded;
  }
  throw new Error('The browser has encoded no picture.');
}

function chunk(name: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(name), length, body, Buffer.alloc(body.length % 2)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
