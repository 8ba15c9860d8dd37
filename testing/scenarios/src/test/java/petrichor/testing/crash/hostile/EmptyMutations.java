package petrichor.testing.crash.hostile;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.net.http.HttpClient;
import java.time.Duration;

/** Ten million empty mutations in 29 KB: as a tree they took 2.7 GB, and the server crashed. */
final class EmptyMutations implements Attack {
    private static final byte[] JSON = Target.packed("{\"mutations\":[", "{},", 10_000_000, "{}]}");

    /** The same in protobuf's encoding: a tag and a length of zero each. */
    private static final int EMPTY_MESSAGES = 500_000;

    @Override
    public void strike(Target target) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            var _ = target.postPacked(http, "commit", JSON);
        }
        UnknownFieldSet.Field.Builder mutations = UnknownFieldSet.Field.newBuilder();
        for (int i = 0; i < EMPTY_MESSAGES; i++) {
            mutations.addLengthDelimited(com.google.protobuf.ByteString.EMPTY);
        }
        CommitRequest request =
                CommitRequest.newBuilder()
                        .setProjectId(Target.PROJECT)
                        .setUnknownFields(
                                UnknownFieldSet.newBuilder()
                                        .addField(
                                                CommitRequest.MUTATIONS_FIELD_NUMBER,
                                                mutations.build())
                                        .build())
                        .build();
        ManagedChannel channel = target.channel();
        try {
            var _ =
                    Target.call(
                            channel,
                            "Commit",
                            request,
                            CommitResponse.getDefaultInstance(),
                            Duration.ofSeconds(20));
        } catch (StatusRuntimeException refused) {
            return; // expected
        } finally {
            channel.shutdownNow();
        }
    }
}
