/**
 * The chart pictures that were delivered with the page. They show one experiment in its initial
 * view. Each is kept until its canvas exists; all are dropped when the view changes.
 */
export class FirstCharts {
  /** A pinned tag has a picture in each of its positions. */
  readonly #pictures = new Map<string, Element[]>();

  /** Takes the pictures out of the server's HTML, which is rendered again around them. */
  constructor(root: ParentNode | null) {
    for (const picture of root?.querySelectorAll('.first-chart[data-tag]') ?? []) {
      const tag = decodeURIComponent(picture.getAttribute('data-tag')!);
      this.#pictures.set(tag, [...(this.#pictures.get(tag) ?? []), picture]);
    }
  }

  /** A picture of the tag that is not on the page yet. */
  of(tag: string): Element | null {
    return this.#pictures.get(tag)?.find(({ isConnected }) => !isConnected) ?? null;
  }

  /** Drops a picture once its canvas exists. */
  forget(tag: string): void {
    for (const picture of this.#pictures.get(tag) ?? []) picture.remove();
    this.#pictures.delete(tag);
  }

  /** Drops all pictures, because they no longer show the current view. */
  forgetAll(): void {
    for (const tag of this.#pictures.keys()) this.forget(tag);
  }
}
