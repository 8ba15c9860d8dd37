package petrichor.cluster;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.datastore.ByteMessages;
import petrichor.frontends.datastore.Peers;
import petrichor.transactions.NotSequencedHere;

/**
 * Answers other servers that ask for versions of our databases. Each answer is worked out on a
 * virtual thread, since a database may have to be taken over first.
 */
final class VersionService {
    private static final Logger LOG = LoggerFactory.getLogger(VersionService.class);
    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("share-version").start(task);

    private final Ownership ownership;
    private final ClusterDatabases databases;
    private final @Nullable String token;

    VersionService(Ownership ownership, ClusterDatabases databases, @Nullable String token) {
        this.ownership = ownership;
        this.databases = databases;
        this.token = token;
    }

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(VersionMessages.SERVICE)
                .addMethod(
                        ByteMessages.method(VersionMessages.METHOD),
                        (call, headers) -> {
                            call.request(2);
                            return new Listener(call, headers);
                        })
                .build();
    }

    private byte[] newest(String database) {
        if (!ownership.claimed(database) && ownership.find(database, true) instanceof Owner.There) {
            throw new NotSequencedHere(database);
        }
        return VersionMessages.answer(databases.owned(database).share());
    }

    private final class Listener extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> call;
        private final Metadata headers;
        private byte @Nullable [] request;

        Listener(ServerCall<byte[], byte[]> call, Metadata headers) {
            this.call = call;
            this.headers = headers;
        }

        @Override
        public void onMessage(byte[] message) {
            request = message;
        }

        @Override
        public void onHalfClose() {
            VIRTUAL.execute(this::answer);
        }

        private void answer() {
            byte[] asked = request;
            try {
                Peers.admit(token, headers);
                byte[] answer =
                        newest(VersionMessages.database(asked == null ? new byte[0] : asked));
                call.sendHeaders(new Metadata());
                call.sendMessage(answer);
                call.close(Status.OK, new Metadata());
            } catch (NotSequencedHere elsewhere) {
                Metadata trailers = new Metadata();
                trailers.put(Peers.NOT_MINE, "nothing was done");
                refuse(Status.UNAVAILABLE, String.valueOf(elsewhere.getMessage()), trailers);
            } catch (PetrichorException known) {
                refuse(status(known.code()), String.valueOf(known.getMessage()), new Metadata());
            } catch (RuntimeException unforeseen) {
                LOG.error("sharing a version failed", unforeseen);
                refuse(Status.INTERNAL, "sharing a version failed", new Metadata());
            }
        }

        private void refuse(Status status, String text, Metadata trailers) {
            try {
                call.close(status.withDescription(text), trailers);
            } catch (IllegalStateException gone) {
                LOG.debug("whoever asked for a version has left", gone);
            }
        }
    }

    /** The canonical codes have the same names. */
    private static Status status(ErrorCode code) {
        return Status.Code.valueOf(code.name()).toStatus();
    }
}
