// The project's own tests run on the clock that it gives to others.
export { type VirtualClock, virtualClock } from 'concordat/testing';
