/** What the bot uploads: asked for, sent to an address of its own, then told to be complete. */
import type { SharedFile } from '../protocol.ts';
import { randomId } from './workspace.ts';

interface Upload {
  readonly name: string;
  content?: Buffer;
}

export class Files {
  readonly #uploads = new Map<string, Upload>();

  constructor(readonly base: () => string) {}

  /** Where the content of a file shall be sent. */
  expect(name: string): { id: string; url: string } {
    const id = `F${randomId(10)}`;
    this.#uploads.set(id, { name });
    return { id, url: `${this.base()}/upload/${id}` };
  }

  /** False for a file that nobody announced. */
  receive(id: string, content: Buffer): boolean {
    const upload = this.#uploads.get(id);
    if (upload) upload.content = content;
    return upload !== undefined;
  }

  /** What a message shows of it; undefined until its content is there. */
  shared(id: string, title: string): SharedFile | undefined {
    const { name, content } = this.#uploads.get(id) ?? {};
    if (name === undefined || content === undefined) return undefined;
    return { id, name, title: title || name, size: content.length, url: `${this.base()}/file/${id}` };
  }

  find(id: string): { name: string; content: Buffer } | undefined {
    const { name, content } = this.#uploads.get(id) ?? {};
    return name === undefined || content === undefined ? undefined : { name, content };
  }
}

/** The SDK sends a form with one part, curl the bare bytes; Slack takes both. */
export async function uploadedBytes(type: string | undefined, body: Buffer): Promise<Buffer> {
  if (!type?.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const [part] = [...form.values()];
  return typeof part === 'string' || part === undefined
    ? Buffer.from(part ?? '')
    : Buffer.from(await part.arrayBuffer());
}
