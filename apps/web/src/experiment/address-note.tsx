import { formatCount, viewParameters, visibleText } from '#charts';
import { scalarTags } from './card-rows.ts';
import { changeView } from './change-view.ts';
import { useContents, useView, useWorld } from './experiment-context.ts';

/**
 * Maximum length of a URL, in characters, that everything between a browser and a service accepts:
 * common proxies allow 8 KiB.
 */
const maxCharacters = 7_500;

/**
 * Reports problems with a view's URL: it names a missing chart or experiments that cannot be read
 * (`failed`), or is too long to share.
 */
export function AddressNote({ failed }: { readonly failed: readonly string[] }) {
  const { view } = useWorld();
  const { tags, compared } = useContents();
  const card = useView((all) => all.card);
  const isWhole = useView((all) => compared.length >= all.compare.length); // otherwise the chart may still be loading
  const length = useView((all) => viewParameters(all).toString().length);
  if (card !== null && isWhole && !scalarTags(tags, '').includes(card))
    return (
      <p className="address-note" role="status">
        There is no chart “{visibleText(card)}”.{' '}
        <button type="button" className="quiet" onClick={() => changeView(view, { card: null, also: [] })}>
          All charts
        </button>
      </p>
    );
  if (failed.length > 0)
    return (
      <p className="address-note" role="status">
        Not compared with {failed.map(visibleText).join(', ')}: not found, or you don't have access.
      </p>
    );
  if (length <= maxCharacters) return null;
  return (
    <p className="address-note" role="status">
      This view's address has {formatCount(length)} characters and may not open in other browsers. Use a run filter to shorten it.
    </p>
  );
}
