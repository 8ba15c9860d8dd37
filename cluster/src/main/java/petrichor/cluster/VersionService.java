package petrichor.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import petrichor.base.PetrichorException;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.v1.ReadVersionRequest;
import petrichor.rpc.v1.ReadVersionResponse;
import petrichor.transactions.SharedVersion;

/**
 * Answers requests of other servers for read versions of the databases of this server. Runs each
 * request on a virtual thread, since it may have to open the database first.
 */
final class VersionService implements RoutedService {
    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("share-version").start(task);

    private final ClusterDatabases databases;

    VersionService(ClusterDatabases databases) {
        this.databases = databases;
    }

    @Override
    public String name() {
        return VersionCall.SERVICE;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(VersionCall.METHOD)) {
            throw RoutedService.unknown(call.method());
        }
        String database = database(call.body());
        return new VersionCall(
                database,
                () -> CompletableFuture.supplyAsync(() -> newest(database), VIRTUAL),
                call.cancellation());
    }

    private static String database(byte[] request) {
        try {
            return ReadVersionRequest.parseFrom(request).getDatabase();
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid("a malformed request for a read version");
        }
    }

    private byte[] newest(String database) {
        SharedVersion shared = databases.owned(database).share();
        return ReadVersionResponse.newBuilder()
                .setDatabaseNumber(shared.number())
                .setVersion(shared.version())
                .setOwnerMicros(shared.ownerMicros())
                .setRetentionMicros(shared.retentionMicros())
                .build()
                .toByteArray();
    }
}
