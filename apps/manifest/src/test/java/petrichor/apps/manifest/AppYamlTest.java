package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AppYamlTest {
    private static AppYaml parse(String text) {
        return AppYaml.parse("app.yaml", text);
    }

    @Test
    void aRuntimeIsEnough() {
        AppYaml app = parse("runtime: python313");
        assertThat(app).isEqualTo(AppYaml.of(new AppRuntime(Language.PYTHON, "3.13")));
        assertThat(app.target().service()).isEqualTo("default");
        assertThat(app.execution().instanceClass()).isEqualTo(InstanceClass.F1);
        assertThat(app.routes()).isEqualTo(Routes.DEFAULT);
        assertThat(app.warnings()).isEmpty();
    }

    @Test
    void readsACompleteFile() {
        AppYaml app =
                parse(
                        """
                        runtime: go124
                        service: api
                        version: v7
                        project: guestbook
                        main: ./cmd/api
                        entrypoint: exec ./api
                        instance_class: B4_1G
                        app_engine_apis: true
                        env_variables: {B: "1", A: x}
                        build_env_variables: {GOFLAGS: -trimpath}
                        default_expiration: 1h
                        inbound_services: [warmup, mail]
                        basic_scaling: {max_instances: 3, idle_timeout: 90s}
                        """);
        assertThat(app.target())
                .isEqualTo(new AppYaml.Target(Optional.of("guestbook"), "api", Optional.of("v7")));
        assertThat(app.build().main()).contains("./cmd/api");
        assertThat(app.build().variables()).isEqualTo(Map.of("GOFLAGS", "-trimpath"));
        assertThat(app.execution())
                .isEqualTo(
                        new AppYaml.Execution(
                                new AppRuntime(Language.GO, "1.24"),
                                Optional.of("exec ./api"),
                                InstanceClass.B4_1G,
                                Map.of("A", "x", "B", "1"),
                                true));
        assertThat(app.execution().variables().keySet()).containsExactly("B", "A");
        assertThat(app.routes().defaultExpiration()).isEqualTo(Duration.ofHours(1));
        assertThat(app.routes().inboundServices())
                .containsExactlyInAnyOrder(InboundService.WARMUP, InboundService.MAIL);
        assertThat(app.scaling()).isEqualTo(new AppScaling.Basic(3, Duration.ofSeconds(90)));
        assertThat(app.warnings()).isEmpty();
    }

    @Test
    void automaticValuesAreEmpty() {
        AppYaml app =
                parse(
                        """
                        runtime: python313
                        automatic_scaling:
                          min_instances: 1
                          max_instances: 0
                          min_idle_instances: automatic
                          max_idle_instances: 4
                          min_pending_latency: automatic
                          max_pending_latency: 0.25s
                          max_concurrent_requests: 80
                        """);
        assertThat(app.scaling())
                .isEqualTo(
                        new AppScaling.Automatic(
                                new AppScaling.Instances(1, OptionalInt.empty()),
                                new AppScaling.Idle(OptionalInt.empty(), OptionalInt.of(4)),
                                new AppScaling.PendingLatency(
                                        Optional.empty(), Optional.of(Duration.ofMillis(250))),
                                new AppScaling.Utilization(0.6, 0.6, 80)));
    }

    @Test
    void basicAndManualScalingHaveTheirOwnDefaultClass() {
        assertThat(parse("runtime: java21\nmanual_scaling: {instances: 2}").execution())
                .extracting(AppYaml.Execution::instanceClass)
                .isEqualTo(InstanceClass.B2);
    }

    @Test
    void whatHasNoEffectIsAWarningInTheOrderOfTheFile() {
        AppYaml app =
                parse(
                        """
                        threadsafe: true
                        runtime: python313
                        inbound_services: [rest]
                        application: guestbook
                        handlers:
                        - url: /.*
                          script: main.app
                        automatic_scaling:
                          target_cpu_utilization: 0.7
                          cool_down_period_sec: 60
                        env_variables:
                          DEBUG: true
                          PORT: 80
                          NAME: x
                        env: flex
                        includes:
                        """);
        assertThat(app.warnings())
                .extracting(warning -> warning.line() + " " + warning.key())
                .containsExactly(
                        "1 threadsafe",
                        "3 inbound_services",
                        "4 application",
                        "7 handlers.script",
                        "9 automatic_scaling.target_cpu_utilization",
                        "10 automatic_scaling.cool_down_period_sec",
                        "12 env_variables.DEBUG",
                        "13 env_variables.PORT",
                        "15 env");
        assertThat(app.warnings().get(6))
                .hasToString(
                        "line 12: env_variables.DEBUG: is \"True\", as on App Engine; quote it to"
                                + " pass it as it is written.");
        assertThat(app.execution().variables()).containsEntry("DEBUG", "True");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "runtime: python313\\nentry_point: x | app.yaml:2 is not valid: unknown field"
                        + " \"entry_point\"; the nearest is \"entrypoint\".",
                "runtime: python313\\nhandlers:\\n- url: /\\n  scrip: auto | app.yaml:4 is not"
                        + " valid: unknown field \"scrip\"; the nearest is \"script\".",
                "runtime: python313\\nautomatic_scaling:\\n  max_instance: 3 | app.yaml:3 is not"
                        + " valid: unknown field \"max_instance\"; the nearest is"
                        + " \"max_instances\".",
                "service: a | app.yaml:1 is not valid: runtime is missing.",
                "runtime: python27 | it must be python3xx, nodejsXX, go1xx or javaXX",
                "runtime: python313\\nlibraries: [{name: a}] | list packages in requirements.txt",
                "runtime: python313\\nenv_variables: {A-B: x} | has the name \"A-B\"",
                "runtime: python313\\nbasic_scaling: {max_instances: 2}\\nmanual_scaling:"
                        + " {instances: 1} | only one of basic_scaling and manual_scaling",
                "runtime: python313\\nservice: a\\nmodule: b | module is the former name",
                "runtime: python313\\nenv: other | it must be standard or flex",
                "runtime: python313\\nautomatic_scaling:\\n  min_instances: 3\\n"
                        + "  max_instances: 2 | min_instances is 3 and max_instances 2",
                "runtime: python313\\nhandlers:\\n- url: /a\\n  script: auto\\n  mime_type: a/b |"
                        + " app.yaml:5 is not valid: mime_type is not allowed beside script.",
                "runtime: python313\\nhandlers:\\n- url: /a\\n  login: admin | one of script,"
                        + " static_dir and static_files is missing",
                "runtime: python313\\n"
                        + "handlers:\\n"
                        + "- url: /a\\n"
                        + "  static_files: b | upload is missing",
                "runtime: python313\\nhandlers:\\n- {url: /a, script: auto, position: head} |"
                        + " position is not supported",
                "runtime: python313\\nhandlers:\\n- url: a\\n  script: auto | a regular expression"
                        + " that begins with /, . or (",
                "runtime: python313\\nhandlers:\\n- {url: /, static_dir: a/../..} | a file of the"
                        + " app's folder",
                "runtime: python313\\ninbound_services: [other] | may have mail, mail_bounce,",
                "runtime: python313\\ninstance_class: F9 | it must be one of F1, F2,",
                "runtime: python313\\n"
                    + "handlers:\\n"
                    + "- {url: /, static_files: 'a\\1', upload: a} | a group that the URL does not"
                    + " have",
                "runtime: python313\\nenv_variables: {A: \"\\0\"} | env_variables.A is too long or"
                        + " contains a character with the code 0",
                "runtime: python313\\n"
                    + "skip_files: (a | app.yaml:2 is not valid: The regular expression (a is not"
                    + " valid",
            })
    void errorsNameTheLineAndWhatToWrite(String text, String error) {
        assertThatThrownBy(() -> parse(text.replace("\\n", "\n")))
                .hasMessageStartingWith("app.yaml:")
                .hasMessageContaining(error);
    }

    @Test
    void theNumberOfVariablesIsLimited() {
        StringBuilder text = new StringBuilder("runtime: go124\nenv_variables:\n");
        for (int i = 0; i < AppYamlReader.VARIABLES_MAX; i++) {
            text.append("  V").append(i).append(": x\n");
        }
        assertThat(parse(text.toString()).execution().variables())
                .hasSize(AppYamlReader.VARIABLES_MAX);
        assertThatThrownBy(() -> parse(text + "  LAST: x\n"))
                .hasMessageContaining("env_variables has more than 1000 names");
    }

    @Test
    void theLengthOfAValueIsLimited() {
        String value = "x".repeat(AppYamlReader.TEXT_CHARACTERS_MAX);
        String file = "runtime: go124\nenv_variables: {A: " + value;
        assertThat(parse(file + "}").execution().variables()).containsEntry("A", value);
        assertThatThrownBy(() -> parse(file + "x}")).hasMessageContaining("env_variables.A is too");
        assertThatThrownBy(() -> parse("runtime: go124\nentrypoint: " + value + "x"))
                .hasMessageContaining("a text of up to 32768 characters");
    }

    @ParameterizedTest
    @CsvSource({
        "python3, PYTHON, 3.",
        "python39, PYTHON, 3.9",
        "python313, PYTHON, 3.13",
        "python, PYTHON, ''",
        "nodejs22, NODE, 22",
        "go124, GO, 1.24",
        "java21, JAVA, 21",
        "go, GO, ''"
    })
    void readsRuntimes(String name, Language language, String version) {
        if (version.endsWith(".")) {
            assertThat(AppRuntime.parse(name)).isEmpty();
        } else {
            AppRuntime runtime = AppRuntime.parse(name).orElseThrow();
            assertThat(runtime).isEqualTo(new AppRuntime(language, version));
            assertThat(runtime.name()).isEqualTo(name);
        }
    }

    @Test
    void classesHaveMemoryAndCpu() {
        assertThat(InstanceClass.F1.memoryMegabytes()).isEqualTo(384);
        assertThat(InstanceClass.F1.cpuMillicores()).isEqualTo(250);
        assertThat(InstanceClass.B8.memoryMegabytes()).isEqualTo(3_072);
        assertThat(InstanceClass.B8.cpuMillicores()).isEqualTo(2_000);
    }

    @Test
    void skipFilesMatchTheBeginningOfAPath() {
        FilePatterns patterns =
                parse("runtime: go124\nskip_files: ['^tests/', '.*\\.md$']")
                        .build()
                        .skipFiles()
                        .orElseThrow();
        assertThat(patterns.skips("tests/a.go")).isTrue();
        assertThat(patterns.skips("a/tests/a.go")).isFalse();
        assertThat(patterns.skips("a/readme.md")).isTrue();
        assertThat(patterns.skips("readme.mdx")).isFalse();
    }
}
