package petrichor.services.users;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.GeneralException;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.claims.IDTokenClaimsSet;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Signs users in at an OpenID provider: authorization code flow with PKCE, state and nonce (OpenID
 * Connect Core 1.0, RFC 7636). What we must remember meanwhile is sealed in a cookie. Only
 * addresses that the provider has verified count. Thread-safe; blocks.
 */
public final class OpenIdProvider {
    private static final Logger LOG = LoggerFactory.getLogger(OpenIdProvider.class);
    private static final String PURPOSE = "openid";
    private static final String SEPARATOR = "\n";

    /**
     * Algorithms with public keys: a token "signed" with our own secret, or not at all, is refused.
     */
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(
                    JWSAlgorithm.RS256,
                    JWSAlgorithm.RS384,
                    JWSAlgorithm.RS512,
                    JWSAlgorithm.PS256,
                    JWSAlgorithm.ES256,
                    JWSAlgorithm.ES384);

    private final OpenIdSettings settings;
    private final Accounts accounts;
    private final Sessions sessions;
    private volatile @Nullable Provider provider;

    public OpenIdProvider(OpenIdSettings settings, Accounts accounts, Sessions sessions) {
        this.settings = settings;
        this.accounts = accounts;
        this.sessions = sessions;
    }

    private record Provider(OIDCProviderMetadata metadata, IDTokenValidator tokens) {}

    /**
     * The beginning of a sign-in.
     *
     * @param redirect where to send the browser
     * @param cookie to set, and to pass to {@link #finish}
     */
    public record Started(URI redirect, String cookie) {}

    /**
     * The end of a sign-in.
     *
     * @param continueUrl as passed to {@link #start}
     */
    public record Finished(Account account, String continueUrl) {}

    /**
     * UNAVAILABLE if the provider does not answer.
     *
     * @param callback our URL to which the provider sends the browser back
     * @param continueUrl already checked
     */
    public Started start(URI callback, String continueUrl) {
        State state = new State();
        Nonce nonce = new Nonce();
        CodeVerifier verifier = new CodeVerifier();
        URI redirect =
                new AuthenticationRequest.Builder(
                                ResponseType.CODE,
                                new Scope("openid", "email"),
                                new ClientID(settings.clientId()),
                                callback)
                        .endpointURI(provider().metadata().getAuthorizationEndpointURI())
                        .state(state)
                        .nonce(nonce)
                        .codeChallenge(verifier, CodeChallengeMethod.S256)
                        .build()
                        .toURI();
        String memory =
                String.join(
                        SEPARATOR,
                        state.getValue(),
                        nonce.getValue(),
                        verifier.getValue(),
                        callback.toString(),
                        continueUrl);
        return new Started(redirect, sessions.seal(PURPOSE, memory, OpenIdSettings.SIGN_IN_MAX));
    }

    /**
     * Exchanges the provider's code. Empty if anything is wrong: the log says what.
     *
     * @param state from the request of the browser, as is the code
     */
    public Optional<Finished> finish(String cookie, String state, String code) {
        String[] memory =
                sessions.unseal(PURPOSE, cookie)
                        .map(text -> text.split(SEPARATOR, 5))
                        .orElse(new String[0]);
        if (memory.length != 5 || !memory[0].equals(state) || code.isEmpty()) {
            LOG.warn("sign-in at {}: the answer belongs to no sign-in", settings.issuer());
            return Optional.empty();
        }
        try {
            IDTokenClaimsSet claims =
                    exchange(
                            code,
                            URI.create(memory[3]),
                            new CodeVerifier(memory[2]),
                            new Nonce(memory[1]));
            String email = claims.getStringClaim("email");
            if (email == null
                    || !Boolean.TRUE.equals(claims.getBooleanClaim("email_verified"))
                    || !Account.isName(email)
                    || !settings.permits(email)) {
                LOG.warn(
                        "sign-in at {}: the address of {} is missing, not verified or not"
                                + " permitted",
                        settings.issuer(),
                        claims.getSubject());
                return Optional.empty();
            }
            return Optional.of(new Finished(accounts.findOrAdd(email), memory[4]));
        } catch (GeneralException | IOException | BadJOSEException | JOSEException e) {
            LOG.warn("sign-in at {}: {}", settings.issuer(), e.getMessage());
            return Optional.empty();
        }
    }

    private IDTokenClaimsSet exchange(String code, URI callback, CodeVerifier verifier, Nonce nonce)
            throws GeneralException, IOException, BadJOSEException, JOSEException {
        Provider known = provider();
        HTTPRequest request =
                new TokenRequest.Builder(
                                known.metadata().getTokenEndpointURI(),
                                new ClientSecretBasic(
                                        new ClientID(settings.clientId()),
                                        new Secret(settings.clientSecret())),
                                new AuthorizationCodeGrant(
                                        new AuthorizationCode(code), callback, verifier))
                        .build()
                        .toHTTPRequest();
        request.setConnectTimeout((int) OpenIdSettings.CONNECT_MAX.toMillis());
        request.setReadTimeout((int) OpenIdSettings.ANSWER_MAX.toMillis());
        request.setFollowRedirects(false);
        var response = OIDCTokenResponseParser.parse(request.send());
        if (!(response instanceof OIDCTokenResponse tokens)) {
            throw new GeneralException("the provider refused the code");
        }
        return known.tokens().validate(tokens.getOIDCTokens().getIDToken(), nonce);
    }

    private Provider provider() {
        Provider known = provider;
        if (known != null) {
            return known;
        }
        try {
            Issuer issuer = new Issuer(settings.issuer());
            OIDCProviderMetadata metadata =
                    OIDCProviderMetadata.resolve(
                            issuer,
                            (int) OpenIdSettings.CONNECT_MAX.toMillis(),
                            (int) OpenIdSettings.ANSWER_MAX.toMillis());
            JWKSource<SecurityContext> keys =
                    JWKSourceBuilder.create(
                                    metadata.getJWKSetURI().toURL(),
                                    new DefaultResourceRetriever(
                                            (int) OpenIdSettings.CONNECT_MAX.toMillis(),
                                            (int) OpenIdSettings.ANSWER_MAX.toMillis(),
                                            OpenIdSettings.ANSWER_BYTES_MAX))
                            .build();
            Provider resolved =
                    new Provider(
                            metadata,
                            new IDTokenValidator(
                                    issuer,
                                    new ClientID(settings.clientId()),
                                    new JWSVerificationKeySelector<>(ALGORITHMS, keys),
                                    null));
            provider = resolved;
            return resolved;
        } catch (GeneralException | IOException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "the OpenID provider {issuer} does not answer; retry later",
                    "issuer",
                    settings.issuer());
        }
    }
}
