package petrichor.frontends.access;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** All tokens that a server accepts. Immutable: a reload replaces the whole. */
public final class AccessTokens {
    /** No token is configured: everybody may do everything. */
    public static final AccessTokens NONE = new AccessTokens(List.of());

    /** Every request is compared with each of them. */
    public static final int TOKENS_MAX = 1_000;

    private static final String SCHEME = "Bearer ";

    private final List<Token> tokens;

    /** One token, by its hash. */
    public record Token(Caller caller, TokenHash hash) {}

    private AccessTokens(List<Token> tokens) {
        this.tokens = List.copyOf(tokens);
    }

    /** INVALID_ARGUMENT for two of one name, two alike, none or too many. */
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
                        "the token \"{name}\" is the same as another one", "name", name);
            }
        }
        return new AccessTokens(tokens);
    }

    /** Whether callers must show one. */
    public boolean required() {
        return !tokens.isEmpty();
    }

    public int size() {
        return tokens.size();
    }

    /**
     * Whose request this is. UNAUTHENTICATED unless it carries one of the tokens.
     *
     * @param authorization the header's value; null if there is none
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

    /** Compares every token, so that the time does not reveal which one was nearly right. */
    private @Nullable Caller find(String given) {
        TokenHash hash = TokenHash.of(given);
        Caller found = null;
        for (Token token : tokens) {
            if (token.hash().matches(hash)) {
                found = token.caller();
            }
        }
        return found;
    }
}
