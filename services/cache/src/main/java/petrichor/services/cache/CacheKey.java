package petrichor.services.cache;

import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/**
 * The key of an item.
 *
 * @param namespace empty for the default one
 * @param key any bytes; SDKs hash longer keys
 */
public record CacheKey(String namespace, Bytes key) {
    public static final int KEY_BYTES_MAX = 250;
    public static final int NAMESPACE_CHARACTERS_MAX = 100;

    public CacheKey {
        if (key.array().length > KEY_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the key has {bytes} bytes, at most {bytesMax} are allowed",
                    "bytes",
                    key.array().length,
                    "bytesMax",
                    KEY_BYTES_MAX);
        }
        if (namespace.length() > NAMESPACE_CHARACTERS_MAX) {
            throw PetrichorException.invalid(
                    "the namespace has {characters} characters, at most {charactersMax} are"
                            + " allowed",
                    "characters",
                    namespace.length(),
                    "charactersMax",
                    NAMESPACE_CHARACTERS_MAX);
        }
    }
}
