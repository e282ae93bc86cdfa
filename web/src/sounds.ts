import { served } from "./addresses";
import { Vector3 } from "three";
import type { Camera } from "three";
import { element } from "./elements";
import { SOUNDS_PATH } from "./protocol";
import type { EventSounds, WireVoice } from "./protocol";

/** Time over which a change of loudness is spread [s]: sudden ones crackle. */
const FADE = 0.02;

/** Where clips come from: the samples of a number as a WAV file, or null. */
export type ClipSource = (clip: number) => Promise<ArrayBuffer | null>;

/** Clips of a running simulation. */
export async function servedClip(clip: number): Promise<ArrayBuffer | null> {
  const response = await fetch(served(`${SOUNDS_PATH}/${clip}`));
  return response.ok ? response.arrayBuffer() : null;
}

/** One sound that is played: samples, loudness, place, balance. */
class Playing {
  private readonly source: AudioBufferSourceNode;
  private readonly gain: GainNode;
  private readonly place: PannerNode | null;
  private readonly balance: StereoPannerNode;

  constructor(
    private readonly context: AudioContext,
    readonly voice: WireVoice,
    samples: AudioBuffer,
    output: AudioNode,
  ) {
    this.source = context.createBufferSource();
    this.source.buffer = samples;
    this.source.loop = voice.loops;
    this.gain = context.createGain();
    // a knock begins at once
    this.gain.gain.value = voice.loops ? 0 : voice.gain;
    this.balance = context.createStereoPanner();
    // full loudness up to one metre, then as 1/distance
    this.place = voice.at && new PannerNode(context, { panningModel: "equalpower", distanceModel: "inverse", refDistance: 1 });
    const chain: AudioNode[] = [this.source, this.gain, ...(this.place ? [this.place] : []), this.balance, output];
    chain.slice(1).forEach((node, k) => chain[k]!.connect(node));
    this.update(voice);
    this.source.start();
  }

  /** Sound as the simulation says now. */
  update(voice: WireVoice): void {
    const now = this.context.currentTime;
    this.gain.gain.setTargetAtTime(voice.gain, now, FADE);
    this.source.playbackRate.setTargetAtTime(voice.pitch, now, FADE);
    this.balance.pan.setTargetAtTime(voice.balance, now, FADE);
    if (!this.place || !voice.at) return;
    const { positionX, positionY, positionZ } = this.place;
    [positionX, positionY, positionZ].forEach((axis, k) => (axis.value = voice.at![k]!));
  }

  /** Fade out. */
  stop(): void {
    const now = this.context.currentTime;
    this.gain.gain.setTargetAtTime(0, now, FADE);
    this.source.stop(now + 6 * FADE);
  }
}

/** Plays what the simulation sounds like, heard from where the camera is. Silent until it is switched on. */
export class SoundPlayer {
  private readonly button = element("sound", HTMLButtonElement);
  private context: AudioContext | null = null;
  private master: GainNode | null = null;
  private meter: AnalyserNode | null = null;
  private isOn = false;
  private isHeard = true;
  private readonly clips = new Map<number, Promise<AudioBuffer | null>>();
  private readonly playing = new Map<number, Playing | null>();
  private readonly begun = new Map<string, number>();

  constructor(
    private readonly onSwitch: () => void,
    private readonly source: ClipSource,
  ) {
    this.button.onclick = () => this.switch(!this.isOn);
  }

  /** Whether the user wants to hear anything. */
  get wanted(): boolean {
    return this.isOn;
  }

  /** How many sounds have begun, of which clip; for tests. */
  get started(): Record<string, number> {
    return Object.fromEntries(this.begun);
  }

  /** Loudness of what goes to the loudspeakers now (root of the mean square), for tests. */
  get level(): number {
    if (!this.meter) return 0;
    const samples = new Float32Array(this.meter.fftSize);
    this.meter.getFloatTimeDomainData(samples);
    return Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
  }

  /** Play what is listed: begin what is new, end what goes on for ever and is no longer listed. */
  take({ voices }: EventSounds): void {
    if (!this.isOn || !this.context) return;
    const listed = new Set(voices.map((voice) => voice.number));
    for (const [number, playing] of this.playing) {
      if (listed.has(number)) continue;
      if (playing?.voice.loops) playing.stop();
      this.playing.delete(number);
    }
    for (const voice of voices) {
      const known = this.playing.get(voice.number);
      if (known) known.update(voice);
      else if (known === undefined) void this.begin(voice);
    }
  }

  /** Time runs (or not), at a factor of real time: sounds stop with it, and fast runs are silent. */
  setTime(isRunning: boolean, speed: number): void {
    const isHeard = isRunning && Number.isFinite(speed);
    if (isHeard === this.isHeard) return;
    this.isHeard = isHeard;
    this.apply();
  }

  /** Hear from where the camera is. */
  listen(camera: Camera): void {
    if (!this.context || !this.isOn) return;
    const { listener } = this.context;
    camera.getWorldDirection(forward);
    up.set(0, 1, 0).applyQuaternion(camera.quaternion);
    const values: [AudioParam, number][] = [
      [listener.positionX, camera.position.x],
      [listener.positionY, camera.position.y],
      [listener.positionZ, camera.position.z],
      [listener.forwardX, forward.x],
      [listener.forwardY, forward.y],
      [listener.forwardZ, forward.z],
      [listener.upX, up.x],
      [listener.upY, up.y],
      [listener.upZ, up.z],
    ];
    for (const [parameter, value] of values) parameter.value = value;
  }

  private switch(isOn: boolean): void {
    this.isOn = isOn;
    this.button.setAttribute("aria-pressed", String(isOn));
    this.button.title = isOn ? "Sound is on" : "Sound is off";
    if (isOn) this.open();
    else this.silence();
    this.apply();
    this.onSwitch();
  }

  /** Browsers allow sound only after the user has done something: the press of the button. */
  private open(): void {
    if (this.context) return;
    this.context = new AudioContext();
    this.master = this.context.createGain();
    this.meter = this.context.createAnalyser();
    // many sounds at once are pressed together instead of cut
    const press = this.context.createDynamicsCompressor();
    this.master.connect(press).connect(this.meter).connect(this.context.destination);
  }

  /** End all that is played: time has jumped. */
  silence(): void {
    this.playing.forEach((playing) => playing?.stop());
    this.playing.clear();
  }

  private apply(): void {
    if (!this.context || !this.master) return;
    this.master.gain.setTargetAtTime(this.isOn && this.isHeard ? 1 : 0, this.context.currentTime, FADE);
    void (this.isOn && this.isHeard ? this.context.resume() : this.context.suspend());
  }

  private async begin(voice: WireVoice): Promise<void> {
    this.playing.set(voice.number, null); // on its way
    const samples = await this.samples(voice.clip);
    if (!samples || !this.context || !this.master || this.playing.get(voice.number) === undefined) return;
    const playing = new Playing(this.context, voice, samples, this.master);
    this.playing.set(voice.number, playing);
    const kind = voice.loops ? "loop" : "once";
    this.begun.set(kind, (this.begun.get(kind) ?? 0) + 1);
  }

  private samples(clip: number): Promise<AudioBuffer | null> {
    let loading = this.clips.get(clip);
    if (!loading) {
      loading = this.load(clip).catch(() => null); // the connection went away
      this.clips.set(clip, loading);
    }
    return loading;
  }

  private async load(clip: number): Promise<AudioBuffer | null> {
    const data = await this.source(clip);
    return data && this.context!.decodeAudioData(data);
  }
}

const forward = new Vector3();
const up = new Vector3();
