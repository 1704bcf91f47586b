//! Trainers' own configurations, as users write them and as they go wrong.

use std::collections::HashMap;
use std::io;

use walkaround::checks::recipe_fault;
use walkaround::model::{Level, Place, RecipeFaultKind};
use walkaround::recipe::{Layout, Media, Recipe, RecipeError, Role, read};

const FILES: [(&str, &str); 12] = [
    ("kohya_dataset.toml", include_str!("recipes/kohya_dataset.toml")),
    ("kohya_train.toml", include_str!("recipes/kohya_train.toml")),
    ("kohya_run.sh", include_str!("recipes/kohya_run.sh")),
    ("musubi.toml", include_str!("recipes/musubi.toml")),
    ("ai_toolkit.yaml", include_str!("recipes/ai_toolkit.yaml")),
    ("simpletuner_config.json", include_str!("recipes/simpletuner_config.json")),
    ("simpletuner_backend.json", include_str!("recipes/simpletuner_backend.json")),
    ("onetrainer.json", include_str!("recipes/onetrainer.json")),
    ("onetrainer_concepts.json", include_str!("recipes/onetrainer_concepts.json")),
    ("diffusion_pipe.toml", include_str!("recipes/diffusion_pipe.toml")),
    ("diffusion_pipe_dataset.toml", include_str!("recipes/diffusion_pipe_dataset.toml")),
    ("diffusers.bat", include_str!("recipes/diffusers.bat")),
];

/// The configurations lie in a folder `conf`, which is not the current one.
fn load(name: &str) -> io::Result<Vec<u8>> {
    if name == "models/Lora" {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let files = HashMap::from(FILES);
    let text = name.strip_prefix("conf/").and_then(|name| files.get(name));
    text.map(|text| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn env(name: &str) -> Option<String> {
    (name == "DATA").then(|| "/mnt/data".to_owned())
}

fn read_file(name: &str) -> Recipe {
    let path = format!("conf/{name}");
    read(&path, &load(&path).expect("the file is in the list"), None, &load, &env).expect("the trainer can be told")
}

fn folders(recipe: &Recipe) -> Vec<&str> {
    recipe.datasets.iter().map(|dataset| dataset.folder.as_ref().map_or("", |folder| folder.text.as_str())).collect()
}

fn text(recipe: &Recipe, dataset: usize, key: &str) -> String {
    recipe.datasets[dataset].setting(key).map(ToString::to_string).unwrap_or_default()
}

fn kinds(recipe: &Recipe) -> Vec<(RecipeFaultKind, Place)> {
    recipe.faults.iter().map(|fault| (fault.kind, fault.place)).collect()
}

fn at(line: u32, column: u32) -> Place {
    Place { line, column }
}

#[test]
fn a_dataset_configuration_of_sd_scripts_inherits_downwards() {
    let recipe = read_file("kohya_dataset.toml");
    assert_eq!(recipe.trainer, "kohya");
    assert_eq!(recipe.faults, []);
    assert_eq!(folders(&recipe), [r"D:\train\ohwx woman", "../reg/woman", "closeups"]);
    assert_eq!(text(&recipe, 0, "num_repeats"), "10");
    assert_eq!(text(&recipe, 0, "shuffle_caption"), "true");
    assert_eq!(text(&recipe, 1, "shuffle_caption"), "false");
    assert_eq!(text(&recipe, 1, "resolution"), "[1024, 1024]");
    assert_eq!(text(&recipe, 2, "resolution"), "512");
    assert_eq!(recipe.datasets[1].role, Role::Regularization);
}

#[test]
fn options_of_a_training_toml_hold_below_the_dataset_configuration() {
    let recipe = read_file("kohya_train.toml");
    assert_eq!(recipe.files, ["conf/kohya_train.toml", "conf/kohya_dataset.toml"]);
    assert_eq!((recipe.seed, recipe.epochs), (Some(42), Some(10)));
    assert_eq!(recipe.datasets.len(), 3);
    // shuffle_caption under [general] and a cache of the text encoder exclude each other: said once for all that inherit it.
    assert_eq!(kinds(&recipe), [(RecipeFaultKind::Conflict, at(3, 19))]);
    assert_eq!(recipe.faults[0].file, "conf/kohya_dataset.toml");
}

#[test]
fn a_command_line_of_sd_scripts_names_folders_of_folders() {
    let recipe = read_file("kohya_run.sh");
    assert_eq!(recipe.script.as_deref(), Some("sdxl_train_network"));
    assert_eq!(folders(&recipe), ["/data/my style/img", "/data/reg"]);
    assert!(recipe.datasets.iter().all(|dataset| dataset.layout == Layout::RepeatFolders));
    assert_eq!(text(&recipe, 0, "batch_size"), "2");
    // 48 is no multiple of 32; 1280 is above max_bucket_reso, 1024 rounded up to 48s; random_crop excludes a cache of latents.
    let wanted = [(RecipeFaultKind::Range, at(8, 23)), (RecipeFaultKind::Range, at(6, 3)), (RecipeFaultKind::Conflict, at(9, 44))];
    assert_eq!(kinds(&recipe), wanted);
}

#[test]
fn musubi_has_images_and_videos() {
    let recipe = read_file("musubi.toml");
    assert_eq!((recipe.trainer, recipe.faults.as_slice()), ("musubi", &[][..]));
    assert_eq!(folders(&recipe), ["stills", "clips"]);
    assert_eq!(recipe.datasets[1].media, Media::Videos);
    assert_eq!(text(&recipe, 1, "source_fps"), "30.0");
    assert_eq!(text(&recipe, 1, "caption_extension"), "\".txt\"");
}

#[test]
fn placeholders_of_ai_toolkit_are_filled_in() {
    let recipe = read_file("ai_toolkit.yaml");
    assert_eq!((recipe.trainer, recipe.faults.as_slice()), ("ai-toolkit", &[][..]));
    assert_eq!(folders(&recipe), ["/mnt/data/my_first_lora_v1", r"E:\reg"]);
    assert_eq!(text(&recipe, 0, "resolution"), "[512, 768, 1024]");
    assert_eq!(text(&recipe, 0, "cache_latents_to_disk"), "true");
    assert_eq!(text(&recipe, 0, "trigger_word"), "\"p3r5on\"");
    assert_eq!(text(&recipe, 0, "arch"), "\"flux\"");
    let nothing = |_: &str| None;
    let path = "conf/ai_toolkit.yaml";
    let recipe = read(path, &load(path).expect("it is there"), None, &load, &nothing).expect("the trainer can be told");
    assert_eq!(kinds(&recipe), [(RecipeFaultKind::Unresolved, at(11, 24))]);
}

#[test]
fn simpletuner_is_read_from_either_file() {
    for (name, family) in [("simpletuner_config.json", "\"flux\""), ("simpletuner_backend.json", "")] {
        let recipe = read_file(name);
        assert_eq!((recipe.trainer, recipe.faults.as_slice()), ("simpletuner", &[][..]), "{name}");
        assert_eq!(folders(&recipe), ["datasets/portraits", "datasets/clips"]);
        assert_eq!(text(&recipe, 0, "model_family"), family);
        assert_eq!(text(&recipe, 0, "repeats"), "9");
    }
}

#[test]
fn concepts_of_onetrainer_are_found_through_the_training_configuration() {
    let recipe = read_file("onetrainer.json");
    assert_eq!((recipe.trainer, recipe.faults.as_slice()), ("onetrainer", &[][..]));
    assert_eq!(folders(&recipe), ["C:/data/cat"]);
    assert_eq!(text(&recipe, 0, "resolution"), "\"1024\"");
    assert_eq!(text(&recipe, 0, "resolution_override"), "\"768\"");
    assert_eq!(text(&recipe, 0, "prompt_source"), "\"filename\"");
}

#[test]
fn directories_of_diffusion_pipe_have_their_own_resolutions() {
    let recipe = read_file("diffusion_pipe.toml");
    assert_eq!((recipe.trainer, recipe.faults.as_slice()), ("diffusion-pipe", &[][..]));
    assert_eq!(folders(&recipe), ["/data/images", "/data/clips"]);
    assert_eq!((text(&recipe, 0, "resolutions"), text(&recipe, 1, "resolutions")), ("[512, 768]".to_owned(), "[256]".to_owned()));
    assert_eq!(recipe.gradient_accumulation, Some(4));
}

#[test]
fn a_batch_file_of_diffusers_has_an_instance_and_a_class() {
    let recipe = read_file("diffusers.bat");
    assert_eq!((recipe.trainer, recipe.faults.as_slice()), ("diffusers", &[][..]));
    assert_eq!(folders(&recipe), [r"C:\train\new", r"C:\train\class"]);
    assert_eq!(text(&recipe, 0, "instance_prompt"), "\"a sks dog\"");
    assert_eq!(recipe.seed, Some(0));
}

/// A name for its syntax, the trainer if it must be named, the text, and the fault with its place that must be among the answers.
type Malformed = (&'static str, Option<&'static str>, &'static str, RecipeFaultKind, (u32, u32));

const MALFORMED: [Malformed; 34] = {
    use RecipeFaultKind as Kind;
    const KOHYA: Option<&str> = Some("kohya");
    [
        ("a.toml", None, "[[datasets]]\nimage_directory = \"C:\\Users\\me\\img\"\n", Kind::Parse, (2, 24)),
        ("a.toml", None, "[general]\ncaption_extension = None\n", Kind::Parse, (2, 21)),
        (
            "a.toml",
            None,
            "[[datasets]]\nimage_directory = \"C:\\train\\new\"\ncaption_extension = '.txt'\n",
            Kind::ControlCharacters,
            (2, 19),
        ),
        ("a.toml", None, "[[datasets]]\nimage_directory = 'a'\nimage_directory = 'b'\n", Kind::Parse, (3, 1)),
        ("a.toml", KOHYA, "\u{feff}[[datasets]]\n", Kind::Parse, (1, 1)),
        ("a.toml", KOHYA, "[general]\nresolution = 512\n", Kind::MissingKey, (1, 1)),
        (
            "a.toml",
            None,
            "[[datasets]]\nresolution = 512\n[[datasets.subsets]]\nimage_dir = 'a'\nbatch_size = 4\n",
            Kind::UnknownKey,
            (5, 1),
        ),
        ("a.toml", None, "[[datasets]]\nresolution = 512\n[[datasets.subsets]]\nimage_dirr = 'a'\n", Kind::UnknownKey, (4, 1)),
        (
            "a.toml",
            None,
            "[[datasets]]\nresolution = 512\nnetwork_multiplier = 1\n[[datasets.subsets]]\nimage_dir = 'a'\n",
            Kind::WrongType,
            (3, 22),
        ),
        ("a.toml", None, "[[datasets]]\n[[datasets.subsets]]\nimage_dir = 'a'\n", Kind::MissingKey, (1, 1)),
        ("a.toml", None, "[[datasets]]\nresolution = 512\n[[datasets.subsets]]\nimage_dir = ''\n", Kind::EmptyPath, (4, 13)),
        (
            "a.toml",
            None,
            "[[datasets]]\nresolution = 1280\nenable_bucket = true\nmax_bucket_reso = 1216\n[[datasets.subsets]]\nimage_dir = 'a'\n",
            Kind::Range,
            (4, 19),
        ),
        (
            "a.toml",
            None,
            "[[datasets]]\nvideo_directory = 'a'\ncaption_extension = '.txt'\ntarget_frames = [25]\nsource_fps = 30\n",
            Kind::WrongType,
            (5, 14),
        ),
        (
            "a.toml",
            None,
            "[[datasets]]\nvideo_directory = 'a'\ncaption_extension = '.txt'\ntarget_frames = [1, 24]\n",
            Kind::Range,
            (4, 21),
        ),
        ("a.toml", None, "[[datasets]]\ncache_directory = 'a'\n", Kind::MissingKey, (1, 1)),
        (
            "a.toml",
            None,
            "[[datasets]]\nimage_jsonl_file = 'a'\ncache_directory = 'c'\n[[datasets]]\nimage_jsonl_file = 'b'\ncache_directory = 'c'\n",
            Kind::Conflict,
            (6, 19),
        ),
        ("a.yaml", None, "config:\n  process:\n\t- type: x\n", Kind::Parse, (3, 2)),
        ("a.yaml", None, "config:\n  process:\n  - datasets:\n    - folder_path: \"C:\\train\\new\"\n", Kind::ControlCharacters, (4, 20)),
        ("a.yaml", None, "config:\n  process:\n  - datasets:\n    - folder_path: \"C:\\data\"\n", Kind::Parse, (4, 20)),
        ("a.yaml", None, "config:\n  process:\n  - datasets:\n    - folder_pth: a\n", Kind::UnknownKey, (4, 7)),
        ("a.yaml", None, "config:\n  process:\n  - datasets:\n    - folder_path: a\n      buckets: 'False'\n", Kind::WrongType, (5, 16)),
        (
            "a.yaml",
            None,
            "config:\n  process:\n  - train:\n      gradient_accumulation: 2\n      gradient_accumulation_steps: 4\n    datasets:\n    - folder_path: a\n",
            Kind::Conflict,
            (5, 36),
        ),
        ("a.json", None, "[{\"id\": \"a\", \"instance_data_dir\": \"d\",\n  \"crop\": \"False\"}]", Kind::WrongType, (2, 11)),
        ("a.json", None, "{\"model_family\": \"flux\",\n \"data_backend_config\": \"gone.json\"}", Kind::Unresolved, (2, 25)),
        ("a.json", None, "{\"model_family\": \"flux\",\n \"delete_problematic_images\": true}", Kind::DeletesFiles, (2, 31)),
        ("a.json", None, "{\"model_family\": \"flux\",}", Kind::Parse, (1, 24)),
        ("a.json", None, "{\"concepts\": [{\"path\": \"/d/image\"}],\n \"cache_dir\": \"/d\"}", Kind::DeletesFiles, (2, 15)),
        ("a.json", None, "{\"concepts\": [],\n \"output_model_destination\": \"models/Lora\"}", Kind::Range, (2, 30)),
        ("a.json", None, "{\"instance_data_dir\": \"a\",\n \"class_data_dir\": \"\"}", Kind::EmptyPath, (2, 20)),
        ("a.toml", None, "resolutions = [256, 512, 768, 1024]\n[[directory]]\npath = 'a'\n", Kind::Range, (1, 15)),
        (
            "a.toml",
            None,
            "resolutions = [512]\nenable_ar_bucket = false\nmin_ar = 0.5\n[[directory]]\npath = 'a'\n",
            Kind::LostOption,
            (3, 1),
        ),
        (
            "a.sh",
            None,
            "python train_dreambooth_lora.py \\\n  --instance_data_dir a --dataset_name b --instance_prompt c\n",
            Kind::Conflict,
            (2, 23),
        ),
        ("a.sh", None, "python train_text_to_image_lora.py \\\n  --resolution 512 \"--seed\n", Kind::Parse, (2, 20)),
        (
            "a.sh",
            None,
            "python train_network.py --train_data_dir a --resolution 512 \\\n --cache_text_encoder_outputs --caption_prefix x\n",
            Kind::LostOption,
            (2, 48),
        ),
    ]
};

#[test]
fn malformed_configurations_are_answered_with_the_place() {
    let mut wrong = Vec::new();
    for (name, trainer, text, kind, (line, column)) in MALFORMED {
        let recipe = read(name, text.as_bytes(), trainer, &load, &env).unwrap_or_else(|error| panic!("{error}: {text}"));
        if !kinds(&recipe).contains(&(kind, at(line, column))) {
            wrong.push(format!("{text}\nwanted {kind:?} at {line}:{column}, seen {:?}", kinds(&recipe)));
        }
        for fault in &recipe.faults {
            let finding = recipe_fault(fault);
            assert!(!fault.help.is_empty() && !fault.message.ends_with('.'), "{fault:#?}");
            assert!(!finding.message.contains(['\n', '\t']), "{finding:#?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_windows_path_is_shown_as_it_became_and_as_it_was() {
    let text = "[[datasets]]\nimage_directory = \"C:\\train\\new\"\ncaption_extension = '.txt'\n";
    let recipe = read("a.toml", text.as_bytes(), None, &load, &env).expect("it is musubi's");
    let fault = recipe.faults.first().expect("there is one");
    assert_eq!((fault.level, recipe.faults.len()), (Level::Error, 1));
    assert!(fault.help.contains(r"'C:\train\new'"), "{}", fault.help);
    let text = text.replace("train", "Users");
    let recipe = read("a.toml", text.as_bytes(), None, &load, &env).expect("its words are musubi's");
    assert_eq!((recipe.trainer, recipe.faults[0].help.as_str()), ("musubi", "write the path in single quotes or with forward slashes"));
}

#[test]
fn who_cannot_be_told_is_asked_for() {
    let undecided = |name: &str, text: &str, trainer| read(name, text.as_bytes(), trainer, &load, &env).expect_err("it cannot be read");
    let error = undecided("a.toml", "[[datasets]]\nresolution = 512\n", None);
    assert_eq!(error.to_string(), "a.toml: this may be a configuration of kohya or musubi; name the trainer with --trainer");
    assert!(matches!(undecided("a.toml", "x = 1\n", None), RecipeError::UnknownTrainer { .. }));
    assert!(undecided("a.toml", "x = 1\n", Some("kohia")).to_string().contains("did you mean `kohya`?"));
    assert!(matches!(undecided("a.ini", "", None), RecipeError::UnknownSyntax { .. }));
}

#[test]
fn a_configuration_that_names_itself_is_opened_once() {
    let text = b"datasets = 1\ndataset_config = \"itself.toml\"\n";
    let itself = |_: &str| -> io::Result<Vec<u8>> { Ok(text.to_vec()) };
    // Whether its trainer can be told does not matter, only that there is an end to it.
    let _ = read("itself.toml", text, None, &itself, &env);
    let _ = read("itself.toml", text, Some("kohya"), &itself, &env);
}

#[test]
fn aliases_of_long_text_are_counted_by_its_length() {
    let long = "x".repeat(1 << 20);
    let aliases = " - *a\n".repeat(20_000);
    let text = format!("job: extension\nlong: &a {long}\nlist:\n{aliases}");
    let recipe = read("bomb.yaml", text.as_bytes(), Some("ai-toolkit"), &load, &env).expect("the trainer is named");
    assert_eq!(recipe.faults.first().map(|fault| fault.kind), Some(RecipeFaultKind::Parse));
}
