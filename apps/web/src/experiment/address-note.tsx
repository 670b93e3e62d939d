import { formatCount, viewParameters } from '#charts';
import { useView } from './experiment-context.ts';

/** Characters of an address that whatever stands between a browser and a service takes: common proxies have room for 8 KiB. */
const mostCharacters = 7_500;

/** Says that the address of a view has become too long to be sent to somebody. */
export function AddressNote() {
  const length = useView((view) => viewParameters(view).toString().length);
  if (length <= mostCharacters) return null;
  return (
    <p className="address-note" role="status">
      The address of this view has {formatCount(length)} characters: it may not open again, here or for others. A filter of runs says the
      same in few words.
    </p>
  );
}
