import { parseView, plainView, type View, viewParameters } from '#charts';

/**
 * The parameters of a view that are stored. Omits a chart or run that is only open for a moment.
 */
export function rememberedText(view: View): string {
  const { card, also, about, embed } = plainView;
  return viewParameters({ ...view, card, also, about, embed }).toString();
}

/** The view with which an experiment opens: its default saved view, or else the default view. */
export function openingView({ default_view: text }: { readonly default_view: string | null }): View {
  return parseView(new URLSearchParams(text ?? ''));
}
