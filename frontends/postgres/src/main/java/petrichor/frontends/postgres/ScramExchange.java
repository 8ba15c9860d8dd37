package petrichor.frontends.postgres;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one SCRAM-SHA-256 exchange (RFC 5802, section 5), without channel binding. A
 * user who does not exist gets the same answers as one with another password.
 */
final class ScramExchange {
    static final String MECHANISM = "SCRAM-SHA-256";

    private static final int NONCE_BYTES = 18;

    private final ScramVerifier verifier;
    private final boolean known;
    private String clientFirst = "";
    private String serverFirst = "";
    private String header = "";
    private String nonce = "";

    /** The client broke the protocol. */
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message);
        }
    }

    /**
     * @param verifier null if there is no such user
     * @param decoy salt for users that do not exist: the same for the same name
     */
    ScramExchange(@Nullable ScramVerifier verifier, byte[] decoy) {
        this.known = verifier != null;
        this.verifier =
                verifier == null
                        ? new ScramVerifier(4096, decoy, new byte[32], new byte[32])
                        : verifier;
    }

    /** The answer to the client's first message. */
    String first(String message) throws MalformedException {
        if (!message.startsWith("n,") && !message.startsWith("y,")) {
            throw new MalformedException("channel binding is not supported without TLS");
        }
        int end = message.indexOf(',', 2);
        if (end < 0) {
            throw new MalformedException("the first message has no second part");
        }
        header = message.substring(0, end + 1);
        clientFirst = message.substring(end + 1);
        String clientNonce = null;
        for (String attribute : clientFirst.split(",", -1)) {
            if (attribute.startsWith("m=")) {
                throw new MalformedException("an unknown extension is required");
            }
            if (attribute.startsWith("r=")) {
                clientNonce = attribute.substring(2);
            }
        }
        if (clientNonce == null || clientNonce.isEmpty()) {
            throw new MalformedException("the first message has no nonce");
        }
        byte[] own = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(own);
        nonce = clientNonce + Base64.getEncoder().encodeToString(own);
        serverFirst =
                "r="
                        + nonce
                        + ",s="
                        + Base64.getEncoder().encodeToString(verifier.salt())
                        + ",i="
                        + verifier.iterations();
        return serverFirst;
    }

    /** The answer to the client's last message; null if the password is wrong. */
    @Nullable String last(String message) throws MalformedException {
        int proofAt = message.lastIndexOf(",p=");
        if (proofAt < 0) {
            throw new MalformedException("the last message has no proof");
        }
        String withoutProof = message.substring(0, proofAt);
        byte[] proof;
        try {
            proof = Base64.getDecoder().decode(message.substring(proofAt + 3));
        } catch (IllegalArgumentException malformed) {
            throw new MalformedException("the proof is not in base64");
        }
        String binding =
                Base64.getEncoder().encodeToString(header.getBytes(StandardCharsets.UTF_8));
        if (!withoutProof.equals("c=" + binding + ",r=" + nonce)) {
            throw new MalformedException("the last message does not belong to the first one");
        }
        byte[] signed =
                (clientFirst + "," + serverFirst + "," + withoutProof)
                        .getBytes(StandardCharsets.UTF_8);
        byte[] key = ScramVerifier.hmac(verifier.storedKey(), signed);
        if (proof.length != key.length) {
            throw new MalformedException("the proof has the wrong length");
        }
        for (int i = 0; i < key.length; i++) {
            key[i] ^= proof[i];
        }
        boolean same = MessageDigest.isEqual(ScramVerifier.sha256(key), verifier.storedKey());
        if (!same || !known) {
            return null;
        }
        return "v="
                + Base64.getEncoder()
                        .encodeToString(ScramVerifier.hmac(verifier.serverKey(), signed));
    }
}
