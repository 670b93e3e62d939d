export { becomeCaller, currentShare, runForService, runForShare, runForStranger } from './current-share.ts';
export { pauseIfLong } from './event-loop.ts';
export { FairQueue, type Permit, type Waiting } from './fair-queue.ts';
export { memberShare, serviceShare, type Share, strangerShare, visitorShare } from './share.ts';
