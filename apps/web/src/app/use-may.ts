import { usePage } from './page-context.ts';

/** Actions that pages offer, a part of the service's table of permissions. */
export type Offered =
  | 'experiment.upload'
  | 'experiment.update'
  | 'experiment.share'
  | 'experiment.delete'
  | 'experiment.export'
  | 'experiment.snapshot'
  | 'report.write'
  | 'report.delete'
  | 'report.share'
  | 'member.manage'
  | 'member.leave'
  | 'token.manage';

/**
 * Whether the reader may perform an action, as far as the page knows; other actions are not
 * offered. `ownerId`: the owner of the object; absent if the object belongs to the reader or to the
 * workspace. Visitors may not perform any action.
 */
export function useMay(): (action: Offered, ownerId?: string | null) => boolean {
  const { reader } = usePage();
  return (action, ownerId) => {
    if (!reader) return false;
    const isOwn = ownerId === undefined || ownerId === reader.id;
    return (isOwn ? reader.may : reader.mayToOthers).includes(action);
  };
}
