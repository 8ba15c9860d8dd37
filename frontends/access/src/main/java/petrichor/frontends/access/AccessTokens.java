package petrichor.frontends.access;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** The tokens that a server accepts. Immutable: a reload replaces the object. */
public final class AccessTokens {
    /** No token is configured: every request is permitted. */
    public static final AccessTokens NONE = new AccessTokens(List.of(), _ -> null);

    /** Limited because every request is compared with all tokens. */
    public static final int TOKENS_MAX = 1_000;

    private static final String SCHEME = "Bearer ";
    private static final String BASIC = "Basic ";

    private final List<Token> tokens;
    private final Issued issued;

    /** One token, by its hash. */
    public record Token(Caller caller, TokenHash hash) {}

    /** Tokens that the server issued while it ran. Thread-safe; does not block. */
    @FunctionalInterface
    public interface Issued {
        /** The caller with the token of this hash; null if there is none. */
        @Nullable Caller find(TokenHash hash);
    }

    private AccessTokens(List<Token> tokens, Issued issued) {
        this.tokens = List.copyOf(tokens);
        this.issued = issued;
    }

    /** INVALID_ARGUMENT if names or tokens are not unique, or if there are none or too many. */
    public static AccessTokens of(List<Token> tokens) {
        if (tokens.isEmpty() || tokens.size() > TOKENS_MAX) {
            throw PetrichorException.invalid(
                    "there are {tokensCount} tokens; there must be at least one and at most "
                            + TOKENS_MAX,
                    "tokensCount",
                    tokens.size());
        }
        Set<String> names = new HashSet<>();
        Set<String> hashes = new HashSet<>();
        for (Token token : tokens) {
            String name = token.caller().name();
            if (!names.add(name)) {
                throw PetrichorException.invalid(
                        "two tokens have the name \"{name}\"", "name", name);
            }
            if (!hashes.add(token.hash().hex())) {
                throw PetrichorException.invalid(
                        "the token \"{name}\" equals another token", "name", name);
            }
        }
        return new AccessTokens(tokens, _ -> null);
    }

    /** Accepts issued tokens, too, if callers must send one. */
    public AccessTokens with(Issued others) {
        return new AccessTokens(tokens, others);
    }

    /** Whether callers must send a token. */
    public boolean required() {
        return !tokens.isEmpty();
    }

    public int size() {
        return tokens.size();
    }

    /**
     * The caller with the token of a request. UNAUTHENTICATED if the token is missing or unknown.
     *
     * @param authorization value of the header; null if there is none
     */
    public Caller caller(@Nullable String authorization) {
        if (!required()) {
            return Caller.ANYONE;
        }
        if (authorization != null
                && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            Caller found = find(authorization.substring(SCHEME.length()).strip());
            if (found != null) {
                return found;
            }
        }
        throw PetrichorException.of(
                ErrorCode.UNAUTHENTICATED,
                "this server requires a token: send the header \"Authorization: Bearer TOKEN\" with"
                        + " a configured token (auth.token, auth.tokens-file); petrichor's commands"
                        + " take it from --token or PETRICHOR_TOKEN");
    }

    /**
     * The header as if its password were the token; unchanged if it has no password.
     *
     * @param authorization value of the header; null if there is none
     */
    public static @Nullable String passwordAsToken(@Nullable String authorization) {
        if (authorization == null
                || !authorization.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return authorization;
        }
        try {
            String pair =
                    new String(
                            Base64.getDecoder()
                                    .decode(authorization.substring(BASIC.length()).strip()),
                            StandardCharsets.UTF_8);
            return SCHEME + pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException damaged) {
            return authorization;
        }
    }

    /**
     * Compares all tokens in constant time, so that the duration does not reveal a partial match.
     */
    private @Nullable Caller find(String given) {
        TokenHash hash = TokenHash.of(given);
        Caller found = null;
        for (Token token : tokens) {
            if (token.hash().matches(hash)) {
                found = token.caller();
            }
        }
        return found == null ? issued.find(hash) : found;
    }
}
