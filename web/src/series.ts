/** Most values that are kept: some ten minutes of thirty a second. */
const KEPT = 20_000;

/** Values of one scalar over simulated time, oldest first. */
export class Series {
  readonly times: number[] = [];
  readonly values: number[] = [];

  /** Add a value; time that runs back begins anew, null is no value yet. */
  add(time: number, value: number | null): void {
    const before = this.times[this.times.length - 1];
    if (before !== undefined && time < before) this.times.length = this.values.length = 0;
    if (value === null) return;
    if (before === time && this.values.length) {
      this.values[this.values.length - 1] = value;
      return;
    }
    this.times.push(time);
    this.values.push(value);
    if (this.times.length > KEPT) {
      this.times.splice(0, KEPT / 4);
      this.values.splice(0, KEPT / 4);
    }
  }

  /** The latest value. */
  get last(): number | null {
    return this.values[this.values.length - 1] ?? null;
  }

  /** The latest value at a time. */
  at(time: number): number | null {
    return this.values[this.find(time) - 1] ?? null;
  }

  /** Smallest and largest value within a stretch of time; null if there is none. */
  range(from: number, to: number): [number, number] | null {
    const [first, end] = [this.find(from), this.find(to)];
    if (first >= end) return null;
    let [low, high] = [Infinity, -Infinity];
    for (let k = first; k < end; k++) {
      low = Math.min(low, this.values[k]!);
      high = Math.max(high, this.values[k]!);
    }
    return [low, high];
  }

  /** Call back for each point within a stretch of time, and for one on either side of it. */
  trace(from: number, to: number, draw: (time: number, value: number, isFirst: boolean) => void): void {
    const first = Math.max(this.find(from) - 1, 0);
    const end = Math.min(this.find(to) + 1, this.times.length);
    for (let k = first; k < end; k++) draw(this.times[k]!, this.values[k]!, k === first);
  }

  /** How many values are not later than a time. */
  private find(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A table of some series: one line per time, an empty cell where there is no value. */
export function csvOf(series: [string, Series][]): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const columns = series.map(([, one]) => new Map(one.times.map((time, k) => [time, one.values[k]!])));
  const times = [...new Set(series.flatMap(([, one]) => one.times))].sort((a, b) => a - b);
  const lines = times.map((time) => [time, ...columns.map((column) => column.get(time) ?? "")].join());
  return [["time [s]", ...series.map(([name]) => cell(name))].join(), ...lines, ""].join("\n");
}
