/** Turns screenshots into an animated WebP. The browser that took them encodes the part that changes. */
import type { Page } from 'playwright-core';

/** Browser interfaces that Node's types lack. */
interface Drawing {
  readonly width: number;
  readonly height: number;
}
declare function createImageBitmap(picture: Blob): Promise<Drawing>;
declare class OffscreenCanvas implements Drawing {
  constructor(width: number, height: number);
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): {
    drawImage(picture: Drawing, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  };
  convertToBlob(options: { type: string; quality: number }): Promise<Blob>;
}

export interface Frame {
  readonly png: Buffer;
  readonly duration: number;
}

export async function encodeAnimation(page: Page, frames: readonly Frame[]): Promise<Buffer> {
  const shown: { places: number[]; webp: string; duration: number }[] = [];
  let [width, height, before] = [0, 0, ''];
  for (const { png, duration } of frames) {
    const now = png.toString('base64');
    const next = await page.evaluate(encodeChange, [before, now] as const);
    ({ width, height } = next);
    before = now;
    const last = shown.at(-1);
    if (next.webp !== '') shown.push({ ...next, duration });
    else if (last !== undefined) last.duration += duration;
  }
  // Flag 2 marks an animation. The zeros in `ANIM` make it loop forever.
  const header = Buffer.concat([Buffer.from([2, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]);
  const parts = shown.map(({ places, webp, duration }) => {
    // 2 means: replace the pixels below. Only the pixels are taken from each encoded WebP file.
    const head = Buffer.concat([...[...places, duration].map(uint24), Buffer.from([2])]);
    return chunk('ANMF', Buffer.concat([head, pixelsIn(Buffer.from(webp, 'base64').subarray(12))]));
  });
  const all = [Buffer.from('WEBP'), chunk('VP8X', header), chunk('ANIM', Buffer.alloc(6)), ...parts];
  return chunk('RIFF', Buffer.concat(all));
}

/** Runs in the browser. @returns the part that changes and its place; undefined if nothing changes */
async function encodeChange(pictures: readonly [before: string, now: string]) {
  // A named function would need a compiler helper that the browser doesn't have.
  const [old, next] = await Promise.all(
    pictures.map(async (png) => {
      const canvas = new OffscreenCanvas(1, 1);
      if (png === '') return { canvas, pixels: new Uint32Array() };
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const drawn = new OffscreenCanvas(bitmap.width, bitmap.height);
      drawn.getContext('2d').drawImage(bitmap, 0, 0);
      const { data } = drawn.getContext('2d').getImageData(0, 0, bitmap.width, bitmap.height);
      return { canvas: drawn, pixels: new Uint32Array(data.buffer) };
    }),
  );
  if (old === undefined || next === undefined) throw new Error('There is no picture.');
  const { width, height } = next.canvas;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < next.pixels.length; at += 1) {
    if (next.pixels[at] === old.pixels[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  if (right < 0) return { width, height, places: [], webp: '' };
  // WebP stores half of each coordinate, so both must be even.
  const [x, y] = [left - (left % 2), top - (top % 2)];
  const part = new OffscreenCanvas(right - x + 1, bottom - y + 1);
  part.getContext('2d').drawImage(next.canvas, -x, -y);
  const blob = await part.convertToBlob({ type: 'image/webp', quality: 0.9 });
  let text = '';
  for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
  return { width, height, places: [x / 2, y / 2, right - x, bottom - y], webp: btoa(text) };
}

function pixelsIn(chunks: Buffer): Buffer {
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
