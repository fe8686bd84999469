// What the page of settings is made of.
import type { ComponentChildren } from "preact";

/** One subject: a name, what it is about, and what can be chosen. */
export function Part({
  title,
  about,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="setting" aria-label={title}>
      <div class="setting-words">
        <h3>{title}</h3>
        {about && <p class="muted">{about}</p>}
      </div>
      <div class="setting-choices">{children}</div>
    </section>
  );
}
