package petrichor.apps.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class SecretBoxTest {
    private static final String VALUE = "correct horse \u00fc";

    @TempDir private Path folder;
    private Path file;
    private SecretBox box;

    @BeforeEach
    void open() {
        file = folder.resolve("secrets.key");
        box = reopened();
    }

    private SecretBox reopened() {
        return new SecretBox(file, new SecureRandom());
    }

    private static void assertRefused(String reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                .hasMessageContaining(reason)
                .hasMessageNotContaining("horse");
    }

    @Test
    void aSecretIsReadWithTheKeyOfTheFile() throws IOException {
        ByteString sealed = box.seal("demo", "KEY", VALUE);
        assertThat(sealed.toStringUtf8()).doesNotContain("horse");
        assertThat(box.open("demo", "KEY", sealed)).isEqualTo(VALUE);
        assertThat(reopened().open("demo", "KEY", sealed)).isEqualTo(VALUE);
        assertThat(box.seal("demo", "KEY", VALUE)).isNotEqualTo(sealed);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(file).hasSize(32);
    }

    @Test
    void aSealedValueBelongsToItsAppAndName() {
        ByteString sealed = box.seal("demo", "KEY", VALUE);
        assertRefused("another key", () -> box.open("other", "KEY", sealed));
        assertRefused("another key", () -> box.open("demo", "OTHER", sealed));
    }

    @Test
    void changedValuesAreRefused() {
        byte[] sealed = box.seal("demo", "KEY", VALUE).toByteArray();
        for (int i = 0; i < sealed.length; i++) {
            byte[] changed = sealed.clone();
            changed[i] ^= 1;
            assertRefused(
                    "restore that key",
                    () -> box.open("demo", "KEY", ByteString.copyFrom(changed)));
        }
        assertRefused("restore that key", () -> box.open("demo", "KEY", ByteString.EMPTY));
    }

    @Test
    void anotherOrMissingKeyIsReported() throws IOException {
        ByteString sealed = box.seal("demo", "KEY", VALUE);
        Files.delete(file);
        assertThatThrownBy(() -> reopened().open("demo", "KEY", sealed))
                .hasMessageContaining("cannot read the key of secrets");
        SecretBox other = reopened();
        var _ = other.seal("demo", "KEY", "x");
        assertRefused("another key", () -> other.open("demo", "KEY", sealed));
        Files.write(file, new byte[] {1, 2});
        assertRefused("has 2 bytes", () -> reopened().open("demo", "KEY", sealed));
    }

    @Test
    void aKeyThatOthersMayReadIsRefused() throws IOException {
        ByteString sealed = box.seal("demo", "KEY", VALUE);
        for (String permissions : new String[] {"rw-r-----", "rw----r--", "rwx------"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
            assertRefused("chmod", () -> reopened().open("demo", "KEY", sealed));
        }
    }
}
