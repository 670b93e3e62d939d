export { type Client, ClientGone } from './client.ts';
export {
  becomeCaller,
  currentClient,
  currentShare,
  endWithClient,
  runForService,
  runForShare,
  runForStranger,
  runToEnd,
} from './current-share.ts';
export { pauseIfBusy, pauseIfLong } from './event-loop.ts';
export { FairQueue, type Permit } from './fair-queue.ts';
export { callerOf, rememberCaller } from './known-callers.ts';
export { memberShare, serviceShare, type Share, strangerShare, visitorShare } from './share.ts';
export { startInTurn } from './start-in-turn.ts';
