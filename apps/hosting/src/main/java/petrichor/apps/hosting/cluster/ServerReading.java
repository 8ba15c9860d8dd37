package petrichor.apps.hosting.cluster;

import com.google.gson.Gson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * What one server of a cluster reports about its apps.
 *
 * @param gate where its router accepts requests of other servers
 */
public record ServerReading(Gate gate, Machine machine, List<VersionReading> versions) {
    /** Longest encoded reading, in bytes: some 10,000 versions. */
    public static final int BYTES_MAX = 8 << 20;

    private static final Gson GSON = new Gson();

    /**
     * The entrance of other servers.
     *
     * @param token that their requests must have
     */
    public record Gate(String host, int port, String token) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /**
     * @param freeMemoryBytes available to further instances
     * @param load share of its cores that is busy, 0 to 1
     */
    public record Machine(long freeMemoryBytes, double load) {
        public Machine {
            if (freeMemoryBytes < 0 || !(load >= 0 && load <= 1)) {
                throw PetrichorException.invalid(
                        "a server has {freeMemoryBytes} bytes of free memory and a load of {load};"
                                + " neither may be negative, and a load is at most 1",
                        "freeMemoryBytes",
                        freeMemoryBytes,
                        "load",
                        load);
            }
        }
    }

    public ServerReading {
        versions = List.copyOf(versions);
    }

    /** For another server. */
    public byte[] encoded() {
        return GSON.toJson(this).getBytes(StandardCharsets.UTF_8);
    }

    /** INTERNAL if a server has sent something else. */
    static ServerReading decode(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw unreadable(bytes.length, null);
        }
        try {
            ServerReading reading =
                    GSON.fromJson(new String(bytes, StandardCharsets.UTF_8), ServerReading.class);
            if (reading == null) {
                throw unreadable(bytes.length, null);
            }
            return reading;
        } catch (PetrichorException refused) {
            throw refused;
        } catch (RuntimeException malformed) {
            throw unreadable(bytes.length, malformed);
        }
    }

    private static PetrichorException unreadable(
            int length, @org.jspecify.annotations.Nullable RuntimeException cause) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                cause,
                "a server of the cluster has sent {length} bytes that are not a reading of its"
                        + " apps; do all servers run the same version?",
                "length",
                length);
    }
}
