package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.clients.StorageFixture.assertRefused;

import com.google.cloud.ReadChannel;
import com.google.cloud.RestorableState;
import com.google.cloud.WriteChannel;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class TransfersTest {
    private static final int MIB = 1 << 20;
    private static final int CHUNK_BYTES = 256 << 10;
    private static final byte[] LARGE = new byte[3 * MIB + 12_345];

    static {
        new Random().nextBytes(LARGE);
    }

    @Test
    void uploadsInOneRequestAndInChunks() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            BlobInfo whole = f.object("whole");
            assertThat(f.storage.create(whole, LARGE).getSize()).isEqualTo(LARGE.length);
            assertThat(f.storage.readAllBytes(whole.getBlobId())).isEqualTo(LARGE);
            BlobInfo streamed = f.object("streamed");
            f.storage.createFrom(streamed, new ByteArrayInputStream(LARGE), CHUNK_BYTES);
            assertThat(f.storage.readAllBytes(streamed.getBlobId())).isEqualTo(LARGE);
            assertThat(f.storage.readAllBytes(f.put("empty", "").getBlobId())).isEmpty();
        }
    }

    @Test
    void anUploadContinuesAfterItsStateWasSaved() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            BlobInfo info = f.object("a");
            RestorableState<WriteChannel> saved;
            WriteChannel first = f.storage.writer(info);
            first.setChunkSize(CHUNK_BYTES);
            first.write(ByteBuffer.wrap(LARGE, 0, 2 * CHUNK_BYTES));
            saved = first.capture();
            assertThat(f.storage.get(info.getBlobId())).isNull();
            try (WriteChannel second = saved.restore()) {
                second.write(ByteBuffer.wrap(LARGE, 2 * CHUNK_BYTES, LARGE.length - 2 * CHUNK_BYTES));
            }
            assertThat(f.storage.readAllBytes(info.getBlobId())).isEqualTo(LARGE);
        }
    }

    @Test
    void ranges() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            BlobId id = f.storage.create(f.object("a b"), LARGE).getBlobId();
            assertThat(range(f.storage, id, 2, 5)).isEqualTo(Arrays.copyOfRange(LARGE, 2, 5));
            assertThat(range(f.storage, id, MIB, LARGE.length)).isEqualTo(Arrays.copyOfRange(LARGE, MIB, LARGE.length));
            assertThat(range(f.storage, id, LARGE.length, LARGE.length + 1)).isEmpty();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            f.storage.downloadTo(id, all);
            assertThat(all.toByteArray()).isEqualTo(LARGE);
        }
    }

    private static byte[] range(Storage storage, BlobId id, long from, long to) throws Exception {
        try (ReadChannel reader = storage.reader(id)) {
            reader.setChunkSize(CHUNK_BYTES);
            reader.seek(from);
            reader.limit(to);
            return Channels.newInputStream(reader).readAllBytes();
        }
    }

    @Test
    void aWrongChecksumIsRefused() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            BlobInfo wrong = f.object("a").toBuilder().setMd5("AAAAAAAAAAAAAAAAAAAAAA==").build();
            assertRefused(
                    () -> f.storage.createFrom(
                            wrong, new ByteArrayInputStream(LARGE), Storage.BlobWriteOption.md5Match()),
                    400);
            assertThat(f.names()).isEmpty();
        }
    }

    @Test
    void compressedObjects() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream packer = new GZIPOutputStream(packed)) {
                packer.write("text".getBytes(StandardCharsets.UTF_8));
            }
            BlobInfo info = f.object("packed").toBuilder()
                    .setContentEncoding("gzip")
                    .setContentType("text/plain")
                    .build();
            Blob blob = f.storage.create(info, packed.toByteArray());
            assertThat(f.text(info.getBlobId())).isEqualTo("text");
            Storage.BlobSourceOption raw = Storage.BlobSourceOption.shouldReturnRawInputStream(true);
            assertThat(f.storage.readAllBytes(info.getBlobId(), raw)).isEqualTo(packed.toByteArray());
            assertThat(blob.getContentEncoding()).isEqualTo("gzip");
            // By default, this client compresses the body of an upload.
            Blob plain = f.put("plain", "text", Storage.BlobTargetOption.disableGzipContent());
            assertThat(f.text(plain.getBlobId())).isEqualTo("text");
        }
    }
}
