/** What the page remembers from visit to visit; frames of notebooks and some browsers allow none. */

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it is forgotten with the page
  }
}
