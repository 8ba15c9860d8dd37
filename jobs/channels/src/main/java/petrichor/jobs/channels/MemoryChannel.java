package petrichor.jobs.channels;

import petrichor.base.TimeSource;

/**
 * A channel between two threads of one process: a bounded queue of blocks, which change their owner
 * and are not copied.
 *
 * @param writer one thread's end
 * @param reader the other's
 */
public record MemoryChannel(BlockWriter writer, BlockReader reader) {
    /**
     * @param name what failures call it
     */
    public static MemoryChannel of(String name, ChannelLimits limits, TimeSource time) {
        // Nothing is ever decompressed, so no array is ever taken from this pool.
        Inbox inbox = new Inbox(name, limits, new BlockPool(1), time);
        return new MemoryChannel(new LocalWriter(inbox, time), inbox.claim());
    }
}
