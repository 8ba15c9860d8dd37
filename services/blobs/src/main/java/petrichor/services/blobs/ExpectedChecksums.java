package petrichor.services.blobs;

import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.Checksums;

/**
 * Checksums that the client announced.
 *
 * @param crc32c null if it announced none
 * @param md5 in base64; empty if it announced none
 */
public record ExpectedChecksums(@Nullable Integer crc32c, String md5) {
    public static final ExpectedChecksums NONE = new ExpectedChecksums(null, "");

    /** INVALID_ARGUMENT if the content has another checksum. */
    void require(BlobObject.Content content) {
        if (crc32c != null && crc32c != content.crc32c()) {
            throw PetrichorException.invalid(
                    "Provided CRC32C \"{provided}\" doesn't match calculated CRC32C"
                            + " \"{calculated}\".",
                    "provided",
                    Checksums.text(crc32c),
                    "calculated",
                    Checksums.text(content.crc32c()));
        }
        if (!md5.isEmpty() && !md5.equals(content.md5())) {
            throw PetrichorException.invalid(
                    "Provided MD5 hash \"{provided}\" doesn't match calculated MD5 hash"
                            + " \"{calculated}\".",
                    "provided",
                    md5,
                    "calculated",
                    content.md5());
        }
    }
}
