/** The service cannot start, for a reason that whoever starts it can do something about: the message says what. */
export class StartFault extends Error {
  override readonly name = 'StartFault';
}
