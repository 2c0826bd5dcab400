/** Slack's file upload: an upload URL, the content, then completion. */
import type { SharedFile } from '../protocol.ts';
import { randomId } from './workspace.ts';

interface Upload {
  readonly name: string;
  content?: Buffer;
}

export class Files {
  readonly #uploads = new Map<string, Upload>();

  constructor(readonly base: () => string) {}

  /** Announces a file; its content goes to the returned URL. */
  expect(name: string): { id: string; url: string } {
    const id = `F${randomId(10)}`;
    this.#uploads.set(id, { name });
    return { id, url: `${this.base()}/upload/${id}` };
  }

  /** @returns false for a file that was not announced */
  receive(id: string, content: Buffer): boolean {
    const upload = this.#uploads.get(id);
    if (upload) upload.content = content;
    return upload !== undefined;
  }

  /** The file as a message shows it; undefined until it is uploaded. */
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

/** Slack accepts a form with one part, as the SDK sends it, and plain bytes. */
export async function uploadedBytes(type: string | undefined, body: Buffer): Promise<Buffer> {
  if (!type?.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const [part] = [...form.values()];
  return typeof part === 'string' || part === undefined
    ? Buffer.from(part ?? '')
    : Buffer.from(await part.arrayBuffer());
}
