package petrichor.testing.crash.hostile;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Requests megabytes on many connections and reads no response. */
final class UnreadAnswers implements Attack {
    private static final int CONNECTIONS = 60;
    private static final int ENTITIES = 4;
    private static final int ENTITY_BYTES = 800_000;
    private static final int HELD_MILLIS = 5_000;

    @Override
    public void strike(Target target) throws Exception {
        fill(target);
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = new Socket();
                socket.setReceiveBufferSize(4_096);
                socket.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), target.port()));
                held.add(socket);
                ask(target, socket);
            }
            Thread.sleep(HELD_MILLIS);
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    private static void fill(Target target) {
        ManagedChannel channel = target.channel();
        try {
            for (int i = 0; i < ENTITIES; i++) {
                Entity.Builder entity = Entity.newBuilder().setKey(key(i));
                entity.putProperties(
                        "blob",
                        Value.newBuilder()
                                .setExcludeFromIndexes(true)
                                .setBlobValue(ByteString.copyFrom(new byte[ENTITY_BYTES]))
                                .build());
                var _ =
                        Target.call(
                                channel,
                                "Commit",
                                CommitRequest.newBuilder()
                                        .setProjectId(Target.PROJECT)
                                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                        .addMutations(Mutation.newBuilder().setUpsert(entity))
                                        .build(),
                                CommitResponse.getDefaultInstance(),
                                Duration.ofSeconds(20));
            }
        } catch (StatusRuntimeException refused) {
            return; // those of an earlier round exist
        } finally {
            channel.shutdownNow();
        }
    }

    private static Key key(int number) {
        Key.Builder key = Key.newBuilder();
        key.addPathBuilder().setKind("Large").setName("n" + number);
        return key.build();
    }

    private static void ask(Target target, Socket socket) throws IOException {
        StringBuilder keys = new StringBuilder();
        for (int i = 0; i < ENTITIES; i++) {
            keys.append(i == 0 ? "" : ",")
                    .append("{\"path\":[{\"kind\":\"Large\",\"name\":\"n")
                    .append(i)
                    .append("\"}]}");
        }
        String body = "{\"keys\":[" + keys + "]}";
        String request =
                "POST /v1/projects/"
                        + Target.PROJECT
                        + ":lookup HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                        + target.token()
                        + "\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }
}
