package petrichor.frontends.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class AccessTokensTest {
    private static final Caller READER =
            new Caller(
                    "reports", Role.READ, new Scope.Limited(Set.of("shop"), Set.of("stock/old")));

    @Test
    void aTokenLeadsToItsCaller() {
        AccessTokens tokens =
                AccessTokens.of(
                        List.of(
                                token(new Caller("root", Role.ADMIN, Scope.EVERYTHING), "one"),
                                token(READER, "two")));
        assertThat(tokens.caller("Bearer two")).isEqualTo(READER);
        assertThat(tokens.caller("bearer  one ").name()).isEqualTo("root");
        for (String wrong :
                new String[] {"Bearer three", "two", "Basic two", "Bearer ", "Bearer"}) {
            assertThatThrownBy(() -> tokens.caller(wrong))
                    .as(wrong)
                    .extracting(thrown -> ((PetrichorException) thrown).code())
                    .isEqualTo(ErrorCode.UNAUTHENTICATED);
        }
    }

    @Test
    void withoutTokensEverythingIsPermitted() {
        assertThat(AccessTokens.NONE.caller(null)).isEqualTo(Caller.ANYONE);
        Caller.ANYONE.requireEverywhere(Role.ADMIN);
    }

    @Test
    void duplicateTokenNamesAndValuesAreRefused() {
        assertThatThrownBy(() -> AccessTokens.of(List.of(token(READER, "a"), token(READER, "b"))))
                .hasMessageContaining("two tokens have the name \"reports\"");
        Caller other = new Caller("other", Role.READ, Scope.EVERYTHING);
        assertThatThrownBy(() -> AccessTokens.of(List.of(token(READER, "a"), token(other, "a"))))
                .hasMessageContaining("equals another token");
        assertThatThrownBy(() -> AccessTokens.of(List.of())).hasMessageContaining("at least one");
    }

    @Test
    void aRoleIncludesThoseBeforeIt() {
        assertThat(Role.ADMIN.includes(Role.READ)).isTrue();
        assertThat(Role.WRITE.includes(Role.WRITE)).isTrue();
        assertThat(Role.READ.includes(Role.WRITE)).isFalse();
        assertThatThrownBy(() -> READER.require(Role.WRITE))
                .hasMessageContaining("needs the role write")
                .hasMessageContaining("\"reports\" has the role read");
    }

    @Test
    void aScopeHasProjectsAndSingleDatabases() {
        READER.requireDatabase("shop", "");
        READER.requireDatabase("shop", "any");
        READER.requireDatabase("stock", "old");
        READER.requireSomeOf("stock");
        assertThatThrownBy(() -> READER.requireDatabase("stock", ""))
                .hasMessageContaining("has no access to stock/(default)");
        assertThatThrownBy(() -> READER.requireSomeOf("sto")).hasMessageContaining("sto");
        assertThatThrownBy(() -> READER.requireEverywhere(Role.READ))
                .hasMessageContaining("concerns the whole server");
        Scope defaultOne = new Scope.Limited(Set.of(), Set.of("stock/(default)"));
        assertThat(defaultOne.includes("stock", "")).isTrue();
        assertThat(defaultOne.includes("stock", "old")).isFalse();
        assertThatThrownBy(() -> new Scope.Limited(Set.of(), Set.of("stock")))
                .hasMessageContaining("write PROJECT/DATABASE");
    }

    private static AccessTokens.Token token(Caller caller, String secret) {
        return new AccessTokens.Token(caller, TokenHash.of(secret));
    }
}
