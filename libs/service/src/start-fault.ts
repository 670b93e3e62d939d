/** The service cannot start for a reason that the operator can fix: the message says what. */
export class StartFault extends Error {
  override readonly name = 'StartFault';
}
