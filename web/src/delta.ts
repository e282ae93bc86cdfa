import type { WireGeometry, WireScene, WireTexture } from "./protocol";

type Keyed = Extract<WireGeometry, { key: string }> | WireTexture;

/** Put contents into a scene that came without those that the scene before has. */
export function completed(scene: WireScene, before: WireScene | null): WireScene {
  if (!before) return scene;
  const known = new Map<string, Keyed>();
  for (const item of [...before.geometries, ...before.textures]) if ("key" in item) known.set(item.key, item);
  const fill = <T extends WireGeometry | WireTexture>(item: T): T => {
    if (!("key" in item) || !isEmpty(item)) return item;
    return (known.get(item.key) as T | undefined) ?? item;
  };
  return { ...scene, geometries: scene.geometries.map(fill), textures: scene.textures.map(fill) };
}

function isEmpty(item: Keyed): boolean {
  if ("image" in item) return item.image === "";
  return item.kind === "mesh" ? item.vertices === "" : item.points === "";
}
