/** Addresses of what the server sends, below that of the page: in notebooks the page lies in a folder of its own. */
export function served(path: string): string {
  return new URL(`.${path}`, document.baseURI).href;
}
