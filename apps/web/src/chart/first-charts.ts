/**
 * The pictures of charts that were delivered with the page. They show one experiment in its initial
 * view: each is kept until its canvas exists, and all of them only while the view is unchanged.
 */
export class FirstCharts {
  /** A pinned tag has one in each of its positions. */
  readonly #pictures = new Map<string, Element[]>();

  /** Removes them from the server's HTML, which is drawn again around them. */
  constructor(root: ParentNode | null) {
    for (const picture of root?.querySelectorAll('.first-chart[data-tag]') ?? []) {
      const tag = decodeURIComponent(picture.getAttribute('data-tag')!);
      this.#pictures.set(tag, [...(this.#pictures.get(tag) ?? []), picture]);
    }
  }

  /** A picture of the tag that is not on the page. */
  of(tag: string): Element | null {
    return this.#pictures.get(tag)?.find(({ isConnected }) => !isConnected) ?? null;
  }

  /** Drops a picture whose canvas exists. */
  forget(tag: string): void {
    for (const picture of this.#pictures.get(tag) ?? []) picture.remove();
    this.#pictures.delete(tag);
  }

  /** Drops all: they show something other than the current view. */
  forgetAll(): void {
    for (const tag of this.#pictures.keys()) this.forget(tag);
  }
}
