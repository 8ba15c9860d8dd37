package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;

/**
 * Tests that a scan of an encoded request finds what parsing the whole request finds, or leaves it
 * to the parser.
 */
class RequestHeadTest {
    private static final int DAMAGED = 200_000;

    /** Requests of every method that differ in the fields of the head. */
    private static List<Sample> samples() {
        List<Sample> all = new ArrayList<>();
        Key key = Key.newBuilder().addPath(Key.PathElement.newBuilder().setKind("K")).build();
        ReadOptions within =
                ReadOptions.newBuilder().setTransaction(ByteString.copyFromUtf8("t")).build();
        ReadOptions begins =
                ReadOptions.newBuilder()
                        .setNewTransaction(
                                TransactionOptions.newBuilder()
                                        .setReadOnly(
                                                TransactionOptions.ReadOnly.getDefaultInstance()))
                        .build();
        ReadOptions past =
                ReadOptions.newBuilder().setReadTime(Timestamp.newBuilder().setSeconds(9)).build();
        for (ReadOptions options :
                List.of(ReadOptions.getDefaultInstance(), within, begins, past)) {
            LookupRequest.Builder lookup =
                    LookupRequest.newBuilder().setProjectId("p").setReadOptions(options);
            for (int keys : new int[] {0, 1, 25, 26}) {
                all.add(
                        new Sample(
                                DatastoreMethod.LOOKUP,
                                lookup.clone().addAllKeys(Collections.nCopies(keys, key)).build()));
            }
            all.add(
                    new Sample(
                            DatastoreMethod.RUN_QUERY,
                            RunQueryRequest.newBuilder()
                                    .setProjectId("p")
                                    .setDatabaseId("d")
                                    .setReadOptions(options)
                                    .setQuery(Query.newBuilder().setStartCursor(bytes(200)))
                                    .build()));
        }
        CommitRequest.Builder commit =
                CommitRequest.newBuilder().setProjectId("p").setTransaction(bytes(3));
        all.add(new Sample(DatastoreMethod.COMMIT, commit.build()));
        all.add(
                new Sample(
                        DatastoreMethod.COMMIT,
                        commit.addMutations(
                                        Mutation.newBuilder()
                                                .setUpsert(
                                                        Entity.newBuilder()
                                                                .setKey(key)
                                                                .putProperties(
                                                                        "x",
                                                                        Value.newBuilder()
                                                                                .setBlobValue(
                                                                                        bytes(300))
                                                                                .build())))
                                .build()));
        for (TransactionOptions options :
                List.of(
                        TransactionOptions.getDefaultInstance(),
                        TransactionOptions.newBuilder()
                                .setReadOnly(TransactionOptions.ReadOnly.getDefaultInstance())
                                .build(),
                        TransactionOptions.newBuilder()
                                .setReadWrite(
                                        TransactionOptions.ReadWrite.newBuilder()
                                                .setPreviousTransaction(bytes(5)))
                                .build())) {
            all.add(
                    new Sample(
                            DatastoreMethod.BEGIN_TRANSACTION,
                            BeginTransactionRequest.newBuilder()
                                    .setProjectId("p")
                                    .setTransactionOptions(options)
                                    .build()));
        }
        return all;
    }

    private record Sample(DatastoreMethod method, Message message) {}

    private static ByteString bytes(int count) {
        return ByteString.copyFrom(new byte[count]);
    }

    @Test
    void scannedHeadEqualsTheParsedRequest() {
        for (Sample sample : samples()) {
            assertThat(RequestHead.scan(sample.method(), sample.message().toByteArray()))
                    .as(sample.toString())
                    .isEqualTo(RequestHead.of(sample.method(), sample.message()));
        }
    }

    @Test
    void scannedHeadOfDamagedRequestsNeverContradictsTheParser() {
        List<Sample> samples = samples();
        Random random = new Random(20_261_123);
        int understood = 0;
        for (int i = 0; i < DAMAGED; i++) {
            Sample sample = samples.get(random.nextInt(samples.size()));
            byte[] body = damaged(sample, samples, random);
            RequestHead head = RequestHead.scan(sample.method(), body);
            if (head == null) {
                continue;
            }
            Message parsed;
            try {
                parsed = sample.method().parse(body);
            } catch (PetrichorException malformed) {
                continue; // refused where it is executed
            }
            understood++;
            assertThat(head)
                    .as("%s %s", sample.method(), Arrays.toString(body))
                    .isEqualTo(RequestHead.of(sample.method(), parsed));
        }
        assertThat(understood).as("requests that both understood").isGreaterThan(DAMAGED / 20);
    }

    /** Changed bytes, truncated ends, duplicate and reordered fields, fields of other requests. */
    private static byte[] damaged(Sample sample, List<Sample> samples, Random random) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int part = random.nextInt(3); part >= 0; part--) {
            Sample from = part == 0 ? sample : samples.get(random.nextInt(samples.size()));
            out.writeBytes(from.message().toByteArray());
        }
        byte[] body = out.toByteArray();
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            body[random.nextInt(Math.min(body.length, 64))] = (byte) random.nextInt(256);
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(body, random.nextInt(body.length + 1)) : body;
    }

    @Test
    void theLastOfSeveralNamesCounts() {
        ByteArrayOutputStream twice = new ByteArrayOutputStream();
        for (String project : List.of("p", "q")) {
            twice.writeBytes(
                    CommitRequest.newBuilder().setProjectId(project).build().toByteArray());
        }
        assertThat(RequestHead.scan(DatastoreMethod.COMMIT, twice.toByteArray()))
                .isEqualTo(
                        RequestHead.of(
                                DatastoreMethod.COMMIT,
                                CommitRequest.newBuilder().setProjectId("q").build()));
    }

    @Test
    void aRequestThatDiffersFromItsHeadIsRefused() {
        RequestHead read = new RequestHead("p", "", Role.READ, DatastoreMethod.Lane.READS, false);
        read.requireSame(read);
        assertThatThrownBy(
                        () ->
                                read.requireSame(
                                        new RequestHead(
                                                "q",
                                                "",
                                                Role.READ,
                                                DatastoreMethod.Lane.READS,
                                                false)))
                .isInstanceOf(PetrichorException.class);
    }
}
