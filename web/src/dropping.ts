import { served } from "./addresses";
import type { Files } from "./files";
import { t } from "./language";
import { DROP_PATH } from "./protocol";
import type { Command, Vector3 } from "./protocol";

/** Files that are taken into the world on show, by their ending; others are opened in its place. */
const TAKEN = /\.(proto|body|urdf|xacro|xml|mjcf|obj|stl|dae|glb|gltf|ply)$/i;

/** What dropping needs of the rest of the page. */
export interface DropActions {
  send(command: Command): void;
  /** Point of the world below a point of the window [CSS pixels]. */
  placeAt(x: number, y: number): Vector3;
  /** Whether something can be added to what is on show. */
  isEditable(): boolean;
}

/** Takes files that are dropped on the picture: robots, PROTOs and meshes into the world, worlds in its place. */
export class DropTarget {
  constructor(
    private readonly files: Files,
    private readonly actions: DropActions,
  ) {
    document.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    document.addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      if (TAKEN.test(file.name) && actions.isEditable()) void this.take(file, actions.placeAt(event.clientX, event.clientY));
      else files.openDropped(file.name);
    });
  }

  private async take(file: File, at: Vector3): Promise<void> {
    this.files.say(t("{0} is taken into the world…", file.name));
    const response = await fetch(`${served(DROP_PATH)}?name=${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
    const text = (await response.text()).trim();
    if (response.ok) this.actions.send({ command: "import", name: text, at });
    else this.files.say(text, true);
  }
}
