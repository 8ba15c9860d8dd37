package petrichor.services.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Base64;
import java.util.List;

/** A JSON web token (RFC 7519) signed with RS256. */
record SignedToken(String subject, List<String> scopes, Instant issued, Instant expires) {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    String encode(AppKey key) {
        String header = "{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":" + quoted(key.name()) + "}";
        String claims =
                "{\"iss\":"
                        + quoted(subject)
                        + ",\"sub\":"
                        + quoted(subject)
                        + ",\"scope\":"
                        + quoted(String.join(" ", scopes))
                        + ",\"iat\":"
                        + issued.getEpochSecond()
                        + ",\"exp\":"
                        + expires.getEpochSecond()
                        + "}";
        String signed = base64(header.getBytes(UTF_8)) + "." + base64(claims.getBytes(UTF_8));
        return signed + "." + base64(key.sign(signed.getBytes(UTF_8)));
    }

    private static String base64(byte[] bytes) {
        return BASE64.encodeToString(bytes);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars()
                .forEach(
                        c -> {
                            if (c == '"' || c == '\\' || c < ' ') {
                                quoted.append("\\u%04x".formatted(c));
                            } else {
                                quoted.append((char) c);
                            }
                        });
        return quoted.append('"').toString();
    }
}
