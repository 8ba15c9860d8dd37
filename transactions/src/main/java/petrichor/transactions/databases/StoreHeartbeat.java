package petrichor.transactions.databases;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.time.Duration;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The heartbeat of one server in a store: a row of its own, rewritten at each renewal.
 *
 * @param number grows with each renewal
 * @param lease how long the server may serve reads after a renewal
 */
record StoreHeartbeat(long number, Duration lease, Holder holder) {
    /**
     * A server, as text, and its process id, by which other servers on the same machine check
     * whether it is alive.
     *
     * @param process empty if unknown
     */
    public record Holder(String name, String process) {}

    byte[] encoded() {
        return StoreIdentity.encoded(
                out -> {
                    out.writeLong(number);
                    out.writeLong(lease.toNanos());
                    out.writeUTF(holder.name());
                    out.writeUTF(holder.process());
                });
    }

    static StoreHeartbeat decode(byte[] row) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(row))) {
            return new StoreHeartbeat(
                    in.readLong(),
                    Duration.ofNanos(in.readLong()),
                    new Holder(in.readUTF(), in.readUTF()));
        } catch (IOException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "A heartbeat in the store is damaged. Restore the store from a backup.");
        }
    }
}
