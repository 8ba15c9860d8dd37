package petrichor.server.tokens;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.access.SecretFile;
import petrichor.frontends.access.TokenHash;
import petrichor.server.config.ServerConfig;

/** Reads the tokens named by the configuration from all of their sources. Stateless. */
public final class ConfiguredTokens {
    /** Name of the single token with all rights; reserved in tokens files. */
    static final String SINGLE = "auth.token";

    private ConfiguredTokens() {}

    /** Fails with the file and the reason if a source is invalid. */
    public static AccessTokens read(ServerConfig.Access auth) {
        if (!auth.required()) {
            return AccessTokens.NONE;
        }
        List<AccessTokens.Token> tokens = new ArrayList<>();
        add(tokens, single(auth).orElse(null));
        auth.tokensFile().ifPresent(file -> tokens.addAll(TokensFile.read(file)));
        return AccessTokens.of(tokens);
    }

    /** The token with all rights; empty if there is none. */
    public static Optional<String> single(ServerConfig.Access auth) {
        return auth.token().or(() -> auth.tokenFile().map(ConfiguredTokens::firstLine));
    }

    private static void add(List<AccessTokens.Token> tokens, @Nullable String single) {
        if (single != null) {
            tokens.add(
                    new AccessTokens.Token(
                            new Caller(SINGLE, Role.ADMIN, Scope.EVERYTHING),
                            TokenHash.of(single)));
        }
    }

    private static String firstLine(Path file) {
        String token =
                SecretFile.read("auth.token-file", file).lines().findFirst().orElse("").strip();
        if (token.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "auth.token-file {file} is empty; its first line must be the token",
                    "file",
                    file);
        }
        return token;
    }
}
