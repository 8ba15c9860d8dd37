package petrichor.services.blobs;

import com.google.protobuf.ByteString;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.services.blobs.stored.StoredSigningKey;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Keys for signed URLs, an RSA pair each, named like Google's service accounts. Only the public
 * part is stored: the private one exists in the file that the caller receives. Thread-safe.
 */
public final class SigningKeys {
    private static final int KEYS_MAX = 100;
    private static final int RSA_BITS = 2_048;
    private static final String DOMAIN = ".iam.gserviceaccount.com";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z\\d-]{1,28}[a-z\\d]");

    private final BlobStore store;

    SigningKeys(BlobStore store) {
        this.store = store;
    }

    /** A new key, with its private part. */
    public record Created(String project, String email, PrivateKey privateKey) {}

    /** ALREADY_EXISTS if the project has a key of this name. */
    public Created create(String project, String name) {
        if (!NAME.matcher(name).matches()) {
            throw PetrichorException.invalid(
                    "\"{name}\" is not a name of a key: it has 3 to 30 lower-case letters, digits"
                            + " and '-', and starts with a letter",
                    "name",
                    name);
        }
        String email = name + "@" + project + DOMAIN;
        KeyPair pair = newPair();
        StoredSigningKey stored =
                StoredSigningKey.newBuilder()
                        .setEmail(email)
                        .setPublicKey(ByteString.copyFrom(pair.getPublic().getEncoded()))
                        .setCreatedMicros(store.now())
                        .build();
        byte[] key = BlobRows.signingKey(email);
        return RowChange.commit(
                store.database(project),
                change -> {
                    if (change.get(key) != null) {
                        throw PetrichorException.of(
                                ErrorCode.ALREADY_EXISTS,
                                "the key {email} exists; delete it first, or choose another name",
                                "email",
                                email);
                    }
                    if (change.first(BlobRows.signingKeys(), KEYS_MAX).size() == KEYS_MAX) {
                        throw PetrichorException.of(
                                ErrorCode.RESOURCE_EXHAUSTED,
                                "the project has " + KEYS_MAX + " keys; delete one first");
                    }
                    change.put(key, stored.toByteArray());
                    return new Created(project, email, pair.getPrivate());
                });
    }

    private static KeyPair newPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(RSA_BITS);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Emails of the keys of a project, in order. */
    public List<String> list(String project) {
        List<String> emails = new ArrayList<>();
        try (Snapshot snapshot = store.database(project).snapshot();
                RowCursor rows = snapshot.scan(BlobRows.signingKeys(), Direction.FORWARD)) {
            while (rows.next()) {
                emails.add(StoredRows.parse(StoredSigningKey.parser(), rows.value()).getEmail());
            }
        }
        return emails;
    }

    /** URLs signed with this key are invalid from now on. False if it does not exist. */
    public boolean delete(String project, String email) {
        return RowChange.commit(
                store.database(project),
                change -> {
                    boolean exists = change.get(BlobRows.signingKey(email)) != null;
                    change.delete(BlobRows.signingKey(email));
                    return exists;
                });
    }

    /** The public key with this email, of this project. */
    public Optional<PublicKey> find(String project, String email) {
        try (Snapshot snapshot = store.database(project).snapshot()) {
            Row row = snapshot.get(BlobRows.signingKey(email));
            return Optional.ofNullable(row).map(found -> publicKey(found.value()));
        }
    }

    private static PublicKey publicKey(byte[] value) {
        StoredSigningKey stored = StoredRows.parse(StoredSigningKey.parser(), value);
        try {
            return KeyFactory.getInstance("RSA")
                    .generatePublic(new X509EncodedKeySpec(stored.getPublicKey().toByteArray()));
        } catch (GeneralSecurityException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "a stored key for signed URLs is damaged");
        }
    }
}
