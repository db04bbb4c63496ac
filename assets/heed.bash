# Completion of heed's commands, options, presets and views for bash. Fields after --set and --vary are not completed.
_heed() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local commands="compute cost render snapshot sweep export lesson views presets"
    local command=${COMP_WORDS[1]} options
    # The choices that the help of heed compute names for an option: --score TEXT:{scaled-dot,dot,…}
    choices() { heed compute --help | sed -n "s/.*$1 TEXT:{\([^}]*\)}.*/\1/p" | tr , ' '; }
    case $before in
        --view)
            # The window has fewer views than there are figures; the help names them.
            if [[ $command == snapshot ]]; then
                options=$(heed snapshot --help | sed -n 's/.*the view in front: //p' | sed 's/,//g; s/ or / /')
            else
                options=$(heed views | cut -d' ' -f1)
            fi
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            return
            ;;
        --lang) mapfile -t COMPREPLY < <(compgen -W "en zh" -- "$word"); return ;;
        --theme) mapfile -t COMPREPLY < <(compgen -W "light dark" -- "$word"); return ;;
        --background) mapfile -t COMPREPLY < <(compgen -W "theme white transparent" -- "$word"); return ;;
        --score | --normalizer | --position) mapfile -t COMPREPLY < <(compgen -W "$(choices "$before")" -- "$word"); return ;;
        --what)
            # Matrices and texts, as the help of heed export lists them.
            options=$(heed export --help | sed -n 's/.*--what TEXT REQUIRED *//p' | sed 's/,//g; s/ or / /')
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            return
            ;;
        --method)
            # Names only, without the numbers that may follow them; cost takes several with commas between.
            options=$(heed compute --help | tr -s ' \n' ' ' | sed -n 's/.*how it is computed: \(.*favor\).*/\1/p' | sed 's/\[[^]]*\]//g; s/,//g; s/ or / /')
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            return
            ;;
        --precision) mapfile -t COMPREPLY < <(compgen -W "auto single double" -- "$word"); return ;;
        --masked-row) mapfile -t COMPREPLY < <(compgen -W "zero uniform nan" -- "$word"); return ;;
        --out | --handout | --query | --key | --value | --mask | --bias | --grad-output | --additive-*) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    esac
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version $(heed presets | cut -d' ' -f1)" -- "$word"; compgen -f -- "$word")
        return
    fi
    if [[ $word == -* ]]; then
        options=$(heed "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        return
    fi
    if [[ $command == lesson ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(heed lesson --list | cut -d' ' -f1)" -- "$word"; compgen -f -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$(heed presets | cut -d' ' -f1)" -- "$word"; compgen -f -- "$word")
}
# Names of files are quoted as they need it: one may hold a space, or a command.
complete -o filenames -F _heed heed
