package petrichor.kv.mongodb;

import java.util.List;
import org.bson.Document;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;

/**
 * Checks whether a server can keep the guarantees of a store, based on what it reports.
 *
 * @param store its address, without the password
 * @param hello the response to {@code hello}
 * @param build the response to {@code buildInfo}
 */
record MongoFitness(String store, Document hello, Document build) {
    /** The first version in which majority acknowledgement always implies journaling. */
    private static final int MAJOR_VERSION_MIN = 6;

    /** MongoDB's documented limit, for a server that does not report one. */
    private static final long DOCUMENT_BYTES = 16L << 20;

    /**
     * The document size that the server reports. The driver divides requests of several documents
     * by the other limits in the same response.
     */
    StoreLimits limits() {
        long document = number("maxBsonObjectSize", DOCUMENT_BYTES);
        // A third of the document is reserved for the key, which is longer as text.
        long value = document / 4 * 3;
        int valueBytesMax = (int) Math.min(MongoStore.VALUE_BYTES_MAX, value);
        long key = (document - value) / 4;
        return new StoreLimits((int) Math.min(MongoStore.KEY_BYTES_MAX, key), valueBytesMax);
    }

    private long number(String name, long otherwise) {
        return hello.get(name) instanceof Number there ? there.longValue() : otherwise;
    }

    boolean isFerret() {
        return build.containsKey("ferretdbVersion");
    }

    /** FAILED_PRECONDITION, with what to change, for the first violated requirement. */
    void require(boolean onlyServer) {
        if (isFerret()) {
            requireOneServer(onlyServer);
        } else {
            requireOneMember();
        }
    }

    /**
     * FerretDB executes an update as a read and a later write, so that one of two concurrent
     * updates can undo the other.
     */
    private void requireOneServer(boolean onlyServer) {
        if (!onlyServer) {
            throw unfit(
                    "it is FerretDB, which has no atomic compare-and-set; if no other Petrichor"
                            + " server uses it, append '?"
                            + MongoAddress.FERRETDB
                            + "="
                            + MongoAddress.ONE_SERVER
                            + "' to its address");
        }
    }

    private void requireOneMember() {
        String version = String.valueOf(build.get("version"));
        if (major(version) < MAJOR_VERSION_MIN) {
            throw unfit(
                    "it is MongoDB %s; version %d or newer is needed"
                            .formatted(version, MAJOR_VERSION_MIN));
        }
        if ("isdbgrid".equals(hello.get("msg"))) {
            throw unfit(
                    "it is a router of a sharded cluster, which is not supported; name a mongod");
        }
        if (!hello.containsKey("setName")) {
            throw unfit(
                    "it is not a member of a replica set, so that its readers see unjournaled"
                            + " writes; start it with --replSet and initiate a set of one member");
        }
        if (hello.get("hosts") instanceof List<?> hosts && hosts.size() > 1) {
            throw unfit(
                    "its replica set has %d members, and a deposed primary may keep answering for some seconds"
                                    .formatted(hosts.size())
                            + "; use a set of one member");
        }
    }

    private PetrichorException unfit(String what) {
        return StoreFailures.unfit(store, what);
    }

    private static int major(String version) {
        int dot = version.indexOf('.');
        try {
            return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }
}
