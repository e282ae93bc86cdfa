import { served } from "./addresses";
import type { CameraPath } from "./camera_path";
import { download } from "./download";
import type { Frame } from "./frames";
import type { EventSounds, WireScene, WireVoice } from "./protocol";
import { servedClip } from "./sounds";

/** Simulated time between recorded frames [s]: replays interpolate between them. */
const PERIOD = 1 / 30;
/** Most that is kept of a run [bytes]: the last part of a long one. Exported pages stay below 5 MB. */
const MEMORY = 3e6;
/** Most sounds that are kept, counted anew whenever one of them changes; some 15 bytes each when compressed. */
const SOUND_LIMIT = 20_000;
/** Most that the samples of all sounds may take [bytes]: 12 seconds of speech. Later ones are silent. */
const CLIP_MEMORY = 1e6;

/** An exported page runs its own script, and reaches nothing outside. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

/** What a replay needs, as it stands in the exported page. */
export interface ReplayData {
  scene: WireScene;
  times: number[];
  /** Poses of all frames as float32, compressed with gzip, in base64. */
  poses: string;
  /** What was heard, as a list of `Heard`, compressed likewise. */
  sounds: string;
  /** The samples of each clip as a WAV file, compressed likewise. */
  clips: Record<number, string>;
  /** A way of the camera; runs that were recorded without the page have none. */
  path?: CameraPath;
}

/** All sounds from a moment on. */
export interface Heard {
  time: number;
  voices: WireVoice[];
}

/** Keeps what was shown since the last reset, and makes a page of it that needs no server. */
export class Recorder {
  private times: number[] = [];
  private poses: Float32Array[] = [];
  private heard: Heard[] = [];
  private voiceCount = 0;
  private time = 0;
  private scene: WireScene | null = null;

  constructor(private readonly path: () => CameraPath) {}

  /** Begin anew with another scene. */
  show(scene: WireScene): void {
    this.scene = scene;
    this.clear();
  }

  /** Keep what sounds from now on. */
  hear({ voices }: EventSounds): void {
    this.heard.push({ time: this.time, voices });
    this.voiceCount += voices.length;
    while (this.voiceCount > SOUND_LIMIT) this.voiceCount -= this.heard.shift()!.voices.length;
  }

  push({ header, poses }: Frame): void {
    this.time = header.time;
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
    this.heard = [];
    this.voiceCount = 0;
  }

  /** The samples of all sounds that were heard, as long as there is room. */
  private async clips(): Promise<Record<number, string>> {
    const clips: Record<number, string> = {};
    let room = CLIP_MEMORY;
    for (const number of new Set(this.heard.flatMap(({ voices }) => voices.map((voice) => voice.clip)))) {
      const samples = await servedClip(number);
      if (!samples || samples.byteLength > room) continue;
      room -= samples.byteLength;
      clips[number] = await pack([samples]);
    }
    return clips;
  }

  private async html(): Promise<string> {
    // the run goes on meanwhile: what is written is what there is now
    const [scene, times, poses, heard] = [this.scene!, [...this.times], [...this.poses], JSON.stringify(this.heard)];
    const data: ReplayData = {
      scene,
      times,
      poses: await pack(poses as BlobPart[]),
      sounds: await pack([heard]),
      clips: await this.clips(),
      path: this.path(),
    };
    const page = await (await fetch(served("/"))).text();
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

async function pack(parts: BlobPart[]): Promise<string> {
  const stream = new Blob(parts).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(text);
}

/** What was packed again, one part after the other. */
export async function unpack(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
