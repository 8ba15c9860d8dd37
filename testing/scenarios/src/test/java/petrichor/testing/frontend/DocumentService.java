package petrichor.testing.frontend;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import petrichor.base.Cancellation;
import petrichor.entities.Datastore;
import petrichor.entities.EntityHit;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;

/** Puts and gets documents by name. Requests and responses are JSON objects. */
final class DocumentService implements RoutedService {
    private static final String NAME = "petrichor.testing.v1.Documents";
    private static final String PUT = NAME + "/Put";
    private static final String GET = NAME + "/Get";
    private static final Executor THREADS = task -> Thread.ofVirtual().name("document").start(task);

    private final Datastore datastore;

    DocumentService(Datastore datastore) {
        this.datastore = datastore;
    }

    @Override
    public String name() {
        return NAME;
    }

    /** The call of a client to store a text. */
    RoutedCall put(String database, String name, String text) {
        JsonObject request = request(database, name);
        request.addProperty("text", text);
        return new Call(PUT, request, Cancellation.never());
    }

    /** The call of a client to read a text. */
    RoutedCall get(String database, String name) {
        return new Call(GET, request(database, name), Cancellation.never());
    }

    private static JsonObject request(String database, String name) {
        JsonObject request = new JsonObject();
        request.addProperty("database", database);
        request.addProperty("name", name);
        return request;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!List.of(PUT, GET).contains(call.method())) {
            throw RoutedService.unknown(call.method());
        }
        String json = new String(call.body(), StandardCharsets.UTF_8);
        return new Call(
                call.method(), JsonParser.parseString(json).getAsJsonObject(), call.cancellation());
    }

    private static String text(EntityHit found) {
        try {
            return Entity.parseFrom(found.entity()).getPropertiesOrThrow("text").getStringValue();
        } catch (InvalidProtocolBufferException damaged) {
            throw new AssertionError(damaged);
        }
    }

    private final class Call implements RoutedCall {
        private final String method;
        private final JsonObject request;
        private final Cancellation cancellation;

        Call(String method, JsonObject request, Cancellation cancellation) {
            this.method = method;
            this.request = request;
            this.cancellation = cancellation;
        }

        @Override
        public String method() {
            return method;
        }

        @Override
        public String database() {
            return request.get("database").getAsString();
        }

        @Override
        public Locality locality() {
            return method.equals(GET) ? Locality.ANY : Locality.OWNER;
        }

        @Override
        public byte[] body() {
            return request.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Cancellation cancellation() {
            return cancellation;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the inner future is composed
        public CompletableFuture<byte[]> execute() {
            return CompletableFuture.supplyAsync(this::executed, THREADS)
                    .thenCompose(answer -> answer);
        }

        private CompletableFuture<byte[]> executed() {
            Key.Builder key = Key.newBuilder();
            key.getPartitionIdBuilder().setProjectId(database());
            key.addPathBuilder().setKind("Document").setName(request.get("name").getAsString());
            return method.equals(GET) ? read(key.build()) : write(key.build());
        }

        private CompletableFuture<byte[]> write(Key key) {
            Value text =
                    Value.newBuilder()
                            .setStringValue(request.get("text").getAsString())
                            .setExcludeFromIndexes(true)
                            .build();
            return datastore
                    .commit(
                            CommitRequest.newBuilder()
                                    .setProjectId(database())
                                    .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                    .addMutations(
                                            Mutation.newBuilder()
                                                    .setUpsert(
                                                            Entity.newBuilder()
                                                                    .setKey(key)
                                                                    .putProperties("text", text)))
                                    .build())
                    .thenApply(_ -> "{}".getBytes(StandardCharsets.UTF_8));
        }

        private CompletableFuture<byte[]> read(Key key) {
            LookupRequest lookup =
                    LookupRequest.newBuilder().setProjectId(database()).addKeys(key).build();
            JsonObject answer = new JsonObject();
            datastore.lookup(lookup).found().stream()
                    .map(DocumentService::text)
                    .forEach(text -> answer.addProperty("text", text));
            return CompletableFuture.completedFuture(
                    answer.toString().getBytes(StandardCharsets.UTF_8));
        }
    }
}
