// A file that an agent named: what can be done with it, in a small menu.
import { useComputed } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { within } from "../../format";
import type { Place } from "../../paths";
import { visible } from "../../reveal";
import { useApp } from "../context";
import { useDialogs } from "../later";
import { IconButton } from "../parts";
import { Revealed } from "./revealed";

/** The folder that a session works in: its worktree, or that of the project. */
export function useRoot(sessionId: string): string {
  const app = useApp();
  const { projectId = "", workspaceId } = app.sessions.of(sessionId)?.peek() ?? {};
  // News of worktrees come often, and of their places never: no row is drawn for them.
  const root = useComputed(() => (app.workspaces.of(workspaceId) ?? app.projects.of(projectId))?.path ?? "");
  return root.value;
}

/** The menu itself, whose code comes when there is a moment, or now. */
export function PlaceMenu(props: Parameters<NonNullable<ReturnType<typeof useDialogs>>["PlaceMenu"]>[0]) {
  const views = useDialogs();
  return views ? <views.PlaceMenu {...props} /> : null;
}

/** A path as a link to that menu. */
export function PlaceLink({ place, root }: { place: Place; root: string }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="file-link"
        title={visible(place.path)}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <bdi>
          <Revealed text={within(root, place.path)} />
        </bdi>
        {place.line !== undefined && `:${place.line}`}
      </button>
      {open && (
        <PlaceMenu place={place} root={root} anchor={button.current!} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

/** The same where the path stands already, in something that is pressed for another reason. */
export function PlaceButton({ place, root }: { place: Place; root: string }) {
  const [anchor, setAnchor] = useState<Element>();
  return (
    <>
      <IconButton
        icon="more"
        label={`File ${visible(within(root, place.path))}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={(event) => setAnchor(anchor ? undefined : (event.currentTarget as Element))}
      />
      {anchor && <PlaceMenu place={place} root={root} anchor={anchor} onClose={() => setAnchor(undefined)} />}
    </>
  );
}
