import { download } from "./download";
import type { Frame } from "./frames";
import type { WireScene } from "./protocol";

/** Simulated time between recorded frames [s]: replays interpolate between them. */
const PERIOD = 1 / 30;
/** Most that is kept of a run [bytes]: the last part of a long one. Exported pages stay below 5 MB. */
const MEMORY = 3e6;

/** An exported page runs its own script, and reaches nothing outside. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

/** What a replay needs, as it stands in the exported page. */
export interface ReplayData {
  scene: WireScene;
  times: number[];
  /** Poses of all frames as float32, compressed with gzip, in base64. */
  poses: string;
}

/** Keeps what was shown since the last reset, and makes a page of it that needs no server. */
export class Recorder {
  private times: number[] = [];
  private poses: Float32Array[] = [];
  private scene: WireScene | null = null;

  /** Begin anew with another scene. */
  show(scene: WireScene): void {
    this.scene = scene;
    this.clear();
  }

  push({ header, poses }: Frame): void {
    const last = this.times[this.times.length - 1];
    if (last !== undefined && header.time < last) this.clear();
    else if (last !== undefined && header.time < last + PERIOD * 0.99) return;
    this.times.push(header.time);
    this.poses.push(poses.slice());
    if (this.times.length * poses.byteLength > MEMORY) {
      this.times.shift();
      this.poses.shift();
    }
  }

  /** Let the user keep a page that replays the run. */
  async save(): Promise<void> {
    if (!this.scene) return;
    const html = await this.html();
    download(`${this.scene.name || "solidbody"}-replay.html`, new Blob([html], { type: "text/html" }));
  }

  private clear(): void {
    this.times = [];
    this.poses = [];
  }

  private async html(): Promise<string> {
    const data: ReplayData = { scene: this.scene!, times: this.times, poses: await pack(this.poses) };
    const page = await (await fetch("/")).text();
    const parsed = new DOMParser().parseFromString(page, "text/html");
    let css = "";
    for (const link of parsed.querySelectorAll<HTMLLinkElement>("link")) {
      if (link.rel === "stylesheet") css += await (await fetch(link.getAttribute("href")!)).text();
      link.remove();
    }
    parsed.querySelectorAll("img").forEach((image) => image.remove());
    const scripts = [...parsed.querySelectorAll("script")];
    const code = await Promise.all(scripts.map(async (script) => (await fetch(script.getAttribute("src")!)).text()));
    scripts.forEach((script) => script.remove());
    const shell = parsed.documentElement.outerHTML.replace(/<\/body>\s*<\/html>\s*$/, "");
    // as text: this page's own policy forbids to make such elements
    const head = `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>${css}</style>`;
    const body = shell.replace("<head>", () => head);
    // nothing in the data or the code may end its element
    const json = JSON.stringify(data).replace(/</g, "\\u003c");
    const scriptText = code.join("\n").replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
    return [
      "<!doctype html>",
      body,
      `<script type="application/json" id="replay">${json}</script>`,
      `<script type="module">${scriptText}</script>`,
      "</body></html>",
    ].join("\n");
  }
}

async function pack(poses: Float32Array[]): Promise<string> {
  const stream = new Blob(poses as BlobPart[]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(text);
}

/** The poses of all frames again, one after the other. */
export async function unpack(base64: string): Promise<Float32Array> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Float32Array(await new Response(stream).arrayBuffer());
}
