package petrichor.jobs.tuning;

/**
 * Saturation of the channels from one task to another. A subtask waits for one of its channels at a
 * time, so the saturations of a sender's channels are added: 1 is a sender that was always blocked.
 *
 * @param mean over the senders: the thesis' st(e)
 * @param max of the sender that waited most
 */
public record EdgeProfile(int from, int to, double mean, double max) {}
