/** The service cannot start for a reason that the operator can fix. The message explains it. */
export class StartFault extends Error {
  override readonly name = 'StartFault';
}
